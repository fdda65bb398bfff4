// HostEvents against the real kernel: every way in which memory can go is heard, and other memory is not concerned.
#include "memory/events/host_events.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "support/memory/pages.hpp"

namespace halyard::memory {
namespace {

using test::kPage;
using test::Pages;

class HostEventsTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string why = events->why_deaf();
    if (!why.empty()) GTEST_SKIP() << why;
  }
  bool is_heard(const UnmapEvents::Watch& watch) const {
    events->settle();
    return watch.is_stale();
  }

  std::shared_ptr<UnmapEvents> events = UnmapEvents::of_process();
};

TEST_F(HostEventsTest, HearsMunmapByLibraryAndBySystemCall) {
  for (const bool by_system_call : {false, true}) {
    const Pages pages(4);
    const auto watch = events->watch(pages.range());
    ASSERT_TRUE(watch);
    EXPECT_FALSE(is_heard(*watch));
    by_system_call ? pages.unmap_by_system_call() : pages.unmap();
    EXPECT_TRUE(is_heard(*watch)) << by_system_call;
  }
}

TEST_F(HostEventsTest, HearsWhenOnePageOfManyGoes) {
  const Pages pages(8);
  const auto watch = events->watch(pages.range());
  syscall(SYS_munmap, pages.page(5), kPage);
  EXPECT_TRUE(is_heard(*watch));
  pages.unmap();
}

TEST_F(HostEventsTest, HearsOtherMemoryMappedOver) {
  const Pages pages(4);
  const auto watch = events->watch(pages.range());
  const Pages over(1, pages.page(2));
  EXPECT_TRUE(is_heard(*watch));
  pages.unmap();
}

TEST_F(HostEventsTest, HearsContentsDropped) {
  const Pages pages(4);
  std::memset(pages.data(), 1, pages.bytes());
  const auto watch = events->watch(pages.range());
  syscall(SYS_madvise, pages.page(1), kPage, MADV_DONTNEED);
  EXPECT_TRUE(is_heard(*watch));
  pages.unmap();
}

TEST_F(HostEventsTest, HearsMemoryMovedAndDoesNotFollowIt) {
  const Pages pages(4), target(4);
  const auto watch = events->watch(pages.range());
  const auto at_target = events->watch(target.range());
  ASSERT_NE(reinterpret_cast<void*>(syscall(SYS_mremap, pages.data(), pages.bytes(), pages.bytes(),
                                            MREMAP_MAYMOVE | MREMAP_FIXED, target.data())),
            MAP_FAILED);
  EXPECT_TRUE(is_heard(*watch));
  EXPECT_TRUE(is_heard(*at_target));
  target.unmap();
}

TEST_F(HostEventsTest, HearsFreeOfALargeBlock) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer keeps freed memory for a while";
#endif
  constexpr std::size_t kBytes = std::size_t{64} << 20;  // beyond every threshold of malloc for mappings of their own
  void* memory = std::malloc(kBytes);
  const auto watch = events->watch(Range::of(memory, kBytes).in_pages(kPage));
  ASSERT_TRUE(watch);
  std::free(memory);
  EXPECT_TRUE(is_heard(*watch));
}

TEST_F(HostEventsTest, DoesNotHearWhatHappensBeside) {
  const Pages pages(3);
  const auto watch = events->watch(Range::of(pages.page(1), kPage));
  syscall(SYS_munmap, pages.page(0), kPage);
  syscall(SYS_munmap, pages.page(2), kPage);
  EXPECT_FALSE(is_heard(*watch));
  pages.unmap();
}

TEST_F(HostEventsTest, AWatchThatEndsLeavesThoseThatOverlapListening) {
  const Pages pages(4);
  const auto left = events->watch(Range::of(pages.page(0), 3 * kPage));
  { const auto right = events->watch(Range::of(pages.page(1), 3 * kPage)); }
  syscall(SYS_munmap, pages.page(2), kPage);
  EXPECT_TRUE(is_heard(*left));
  pages.unmap();
}

TEST_F(HostEventsTest, RefusesToWatchAFileOrElseHearsOfIt) {
  std::FILE* file = std::tmpfile();
  ASSERT_EQ(ftruncate(fileno(file), kPage), 0);
  void* mapped = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  const auto watch = events->watch(Range::of(mapped, kPage));
  syscall(SYS_munmap, mapped, kPage);
  EXPECT_TRUE(!watch || is_heard(*watch));  // /tmp may lie in memory, of which the kernel tells
  std::fclose(file);
}

TEST_F(HostEventsTest, WatchedMemoryIsUsedAndForkedAsBefore) {
  const Pages pages(64);
  const auto watch = events->watch(pages.range());
  std::memset(pages.data(), 7, pages.bytes());
  const pid_t child = fork();
  if (child == 0) {
    pages.data()[0] = std::byte{8};
    pages.unmap();
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(pages.data()[0], std::byte{7});
  EXPECT_FALSE(is_heard(*watch)) << "the child's unmapping is the child's";
  pages.unmap();
}

TEST_F(HostEventsTest, MemoryOfOurOwnIsToldOf) {
  const Pages pages(2);
  const auto watch = events->watch(pages.range());
  note_unmapped(pages.page(1), 10);
  EXPECT_TRUE(is_heard(*watch));
  pages.unmap();
}

TEST_F(HostEventsTest, AThousandWatchesLeaveNoMappingsBehind) {
  const auto num_mappings = [] {
    std::size_t lines = 0;
    std::FILE* maps = std::fopen("/proc/self/maps", "r");
    for (int c = std::fgetc(maps); c != EOF; c = std::fgetc(maps)) lines += c == '\n' ? 1 : 0;
    std::fclose(maps);
    return lines;
  };
  const Pages pages(2000);
  const std::size_t before = num_mappings();
  for (std::size_t i = 0; i < 1000; ++i) (void)events->watch(Range::of(pages.page(2 * i), kPage));
  EXPECT_LE(num_mappings(), before + 2);
  pages.unmap();
}

TEST(HostEvents, EndsItsThreadWithTheLastOwner) {
  const auto num_threads = [] {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
    return count;
  };
  const std::size_t before = num_threads();
  {
    const auto events = UnmapEvents::of_process();
    if (const std::string why = events->why_deaf(); !why.empty()) GTEST_SKIP() << why;
    EXPECT_EQ(num_threads(), before + 1);
  }
  EXPECT_EQ(num_threads(), before);
}

}  // namespace
}  // namespace halyard::memory
