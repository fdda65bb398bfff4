// What Halyard opens it closes: communicators, file descriptors, mappings, segments and their names.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

namespace fs = std::filesystem;

struct Counts {
  std::ptrdiff_t descriptors = 0;
  std::ptrdiff_t mappings = 0;
  std::ptrdiff_t names = 0;  // of this process's segments in /dev/shm

  std::string text() const {
    return std::to_string(descriptors) + " descriptors, " + std::to_string(mappings) + " mappings, " +
           std::to_string(names) + " segment names";
  }
};

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kCountsMappings = false;  // a sanitizer keeps freed memory mapped for a while
#else
constexpr bool kCountsMappings = true;
#endif

std::ptrdiff_t num_lines(const char* file) {
  std::ifstream stream(file);
  return std::count(std::istreambuf_iterator<char>(stream), {}, '\n');
}

std::ptrdiff_t num_names() {
  const std::string mine = "halyard." + std::to_string(geteuid()) + "." + std::to_string(getpid()) + ".";
  std::ptrdiff_t count = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/dev/shm", none))
    count += entry.path().filename().string().starts_with(mine) ? 1 : 0;
  return count;
}

Counts counts_now() {
  const auto descriptors = std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator{});
  return {descriptors, num_lines("/proc/self/maps"), num_names()};
}

// Opens a context, binds, exchanges, closes. On every way; ways that are not open here cost nothing.
std::string wrong_in_a_cycle(const Way& way) {
  Context context(MPI_COMM_WORLD, options_of(way));
  if (!closed(context, way).empty()) return {};
  std::string wrong = CodedExchange(context, way, small_halo(context.size())).run(1);
  return wrong.empty() ? CodedExchange(context, way, small_halo(context.size(), 4)).run(2) : wrong;
}

class Leftovers : public testing::TestWithParam<Way> {};

TEST_P(Leftovers, NoDescriptorMappingOrSegmentIsLeftAfterFiftyContextsWithTheirBindings) {
  std::string wrong;
  for (int i = 0; i < 5 && wrong.empty(); ++i) wrong = wrong_in_a_cycle(GetParam());  // what MPI and UCX open once
  const Counts before = counts_now();
  for (int i = 0; i < 50 && wrong.empty(); ++i) wrong = wrong_in_a_cycle(GetParam());
  const Counts after = counts_now();
  const bool is_flat = after.descriptors <= before.descriptors && after.names == 0 &&
                       (!kCountsMappings || after.mappings <= before.mappings);
  if (wrong.empty() && !is_flat) wrong = before.text() + " before, " + after.text() + " after";
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, Leftovers, testing::ValuesIn(kWays), name_of_way);

int num_communicators = 0;  // copies of the attributed communicator that exist

int count_copy(MPI_Comm, int, void*, void*, void* copy, int* flag) {
  *static_cast<void**>(copy) = nullptr;
  *flag = 1;
  ++num_communicators;
  return MPI_SUCCESS;
}
int count_delete(MPI_Comm, int, void*, void*) {
  --num_communicators;
  return MPI_SUCCESS;
}

Options nonsense() {
  Options options;
  options.path = "shared,nonsense";
  return options;
}

TEST(Openings, EachDuplicateOfTheCommunicatorIsFreed) {
  MPI_Comm comm = MPI_COMM_NULL;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_keyval(count_copy, count_delete, &key, nullptr);
  MPI_Comm_set_attr(comm, key, nullptr);
  num_communicators = 0;
  {
    Context first(comm, options_of(kMpi));
    Context second(comm, options_of(kDirect));
    CodedExchange exchange(first, kMpi, small_halo(first.size()));
    EXPECT_EQ(exchange.run(1), "");
    EXPECT_GE(num_communicators, 2);
  }
  EXPECT_EQ(num_communicators, 0);
  EXPECT_FALSE(error_of([&] { Context(comm, nonsense()); }) == std::nullopt);
  EXPECT_EQ(num_communicators, 0) << "after a context that could not be made";
  MPI_Comm_delete_attr(comm, key);
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&key);
}

TEST(Openings, AHundredContextsInARowDoNotRunOutOfAnything) {
  for (int i = 0; i < 100; ++i) {
    const Context context(MPI_COMM_WORLD, options_of(kDirect));
    ASSERT_EQ(closed(context, kDirect), "") << "context " << i;
  }
}

TEST(Openings, SegmentsBelongToTheirUserAloneAndHaveNoNameOnceTheContextIsMade) {
  Context context(MPI_COMM_WORLD, options_of(kDirect));
  if (const auto why = closed(context, kDirect); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(num_names(), 0);
  int num_segments = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code none;
    const std::string target = fs::read_symlink(entry.path(), none).string();
    if (!target.starts_with("/dev/shm/halyard.")) continue;
    ++num_segments;
    struct stat status {};
    ASSERT_EQ(stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U) << target;
    EXPECT_EQ(status.st_uid, geteuid()) << target;
    EXPECT_EQ(status.st_nlink, 0U) << target;
  }
  EXPECT_EQ(num_segments, 1) << "this rank's own; the peers' are mapped and closed";
}

TEST(Openings, MemoryThatIsGivenBackIsHandedOutAgain) {
  Options options = options_of(kDirect);
  options.arena_bytes = 8 << 20;
  Context context(MPI_COMM_WORLD, options);
  for (int i = 0; i < 20; ++i) {
    void* memory = context.allocate(5 << 20);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
    context.deallocate(memory);
  }
  EXPECT_THROW(context.allocate(std::size_t{1} << 40), Error);
  context.deallocate(nullptr);
}

}  // namespace
}  // namespace halyard::test
