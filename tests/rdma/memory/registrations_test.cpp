// Field case T04 with thousands of regions that a real device knows, in one process.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <vector>

#include "memory/registrar.hpp"
#include "transport/verbs/factory.hpp"

namespace halyard::transport::verbs {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kRegions = 10'000;

std::ptrdiff_t num_mappings() {
  std::ifstream maps("/proc/self/maps");
  return std::count(std::istreambuf_iterator<char>(maps), {}, '\n');
}

class Registrations : public testing::Test {
 protected:
  void SetUp() override {
    registrar_ = open_registrar(refusal_);
    if (registrar_ == nullptr) GTEST_SKIP() << refusal_;
  }

  /// Every other page, so that regions never touch: marking them would cut a mapping at each.
  void register_pages(std::byte* first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      regions_.push_back(registrar_->register_range(first + 2 * i * kPage, kPage, memory::MemoryKind::host));
  }

  std::string refusal_;
  std::unique_ptr<memory::Registrar> registrar_;
  std::vector<std::unique_ptr<memory::Registration>> regions_;
};

// A library that asks the kernel to keep registered pages from children cuts a mapping for each region; beyond
// vm.max_map_count nothing can be mapped any more.
TEST_F(Registrations, T04TenThousandRegionsCutNoMappingsAndAChildHasItsOwnPages) {
  std::vector<std::byte> memory((2 * kRegions + 1) * kPage, std::byte{7});
  auto* first =
      reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory.data()) + kPage - 1) / kPage * kPage);
  register_pages(first, 10);
  const std::ptrdiff_t early = num_mappings();
  register_pages(first + 20 * kPage, kRegions - 10);
  EXPECT_LE(num_mappings(), early + 4);

  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool is_readable = true;
    for (std::size_t i = 0; i < kRegions; ++i) is_readable = is_readable && first[2 * i * kPage] == std::byte{7};
    for (std::size_t i = 0; i < kRegions; ++i) first[2 * i * kPage] = std::byte{9};
    _exit(is_readable ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "the child died of a page that it was not given";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  std::size_t num_wrong = 0;
  for (std::size_t i = 0; i < kRegions; ++i) num_wrong += first[2 * i * kPage] == std::byte{7} ? 0 : 1;
  EXPECT_EQ(num_wrong, 0U) << "pages of the parent that the child wrote";
}

}  // namespace
}  // namespace halyard::transport::verbs
