// Random plans, bound, run and dropped, again and again on one context: nothing of a device, of the system or of this
// process grows. TEST_EXCHANGES says how many exchanges (docs/rdma-vm.md); dev/check makes do with few.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "mpi/coded_exchange.hpp"
#include "mpi/ranks.hpp"
#include "rdma/wire.hpp"

namespace halyard::test {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kExchangesOfAPlan = 20;
constexpr std::uint64_t kPlansUntilSettled = 12;

struct Counts {
  std::ptrdiff_t descriptors = 0;
  std::ptrdiff_t threads = 0;
  std::ptrdiff_t mappings = 0;
  std::ptrdiff_t kilobytes = 0;
  std::ptrdiff_t queue_pairs = 0;  // of all ranks
  std::ptrdiff_t regions = 0;      // of all ranks

  std::string text() const {
    std::string text;
    const std::pair<const char*, std::ptrdiff_t> parts[] = {{"descriptors", descriptors}, {"threads", threads},
                                                            {"mappings", mappings},       {"KiB in use", kilobytes},
                                                            {"queue pairs", queue_pairs}, {"regions", regions}};
    for (const auto& [name, count] : parts) text += std::to_string(count) + " " + name + ", ";
    return text;
  }
};

std::ptrdiff_t num_entries(const char* folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator{});
}

std::ptrdiff_t num_lines(const char* file) {
  std::ifstream stream(file);
  return std::count(std::istreambuf_iterator<char>(stream), {}, '\n');
}

std::ptrdiff_t resident_kilobytes() {
  std::ifstream statm("/proc/self/statm");
  std::ptrdiff_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * sysconf(_SC_PAGESIZE) / 1024;
}

// What closed channels left goes once both ends have said farewell, which takes a moment and a look.
Counts counts_now(Context& context, const Way& way) {
  std::string wrong;
  for (int i = 0; i < 3; ++i) {
    wrong = CodedExchange(context, way, RandomCase::draw(1, context.size())).run(0);
    EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  Counts counts{num_entries("/proc/self/fd"), num_entries("/proc/self/task"), num_lines("/proc/self/maps"),
                resident_kilobytes(),         rdma_resources("qp"),           rdma_resources("mr")};
  MPI_Barrier(MPI_COMM_WORLD);
  return counts;
}

std::uint64_t num_plans() {
  const char* wanted = std::getenv("TEST_EXCHANGES");
  return (wanted == nullptr ? 400 : std::strtoull(wanted, nullptr, 10)) / kExchangesOfAPlan;
}

class RdmaLeaks : public OnEveryWay {};

TEST_P(RdmaLeaks, RandomPlansLeaveNothingBehind) {
  std::string wrong;
  Counts early;
  const std::uint64_t settled = std::min(kPlansUntilSettled, num_plans() / 2);
  for (std::uint64_t plan = 0; plan < num_plans() && wrong.empty(); ++plan) {
    if (plan == settled) early = counts_now(context(), way());
    const auto problem = RandomCase::draw(plan * 13 + 500'000, context().size());
    CodedExchange exchange(context(), way(), problem);
    for (std::uint64_t step = 0; step < kExchangesOfAPlan && wrong.empty(); ++step) wrong = exchange.run(step);
    if (!wrong.empty()) wrong += " in " + problem.text;
  }
  ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  const Counts late = counts_now(context(), way());
  std::cout << "early: " << early.text() << "\nlate:  " << late.text() << std::endl;
  EXPECT_LE(late.descriptors, early.descriptors);
  EXPECT_LE(late.threads, early.threads);
  EXPECT_LE(late.queue_pairs, early.queue_pairs + 2);  // what the last plan left may still be on its way
  // Buffers of many sizes are kept, never more than were in use at once.
  EXPECT_LE(late.regions, early.regions + 12);
  EXPECT_LE(late.mappings, early.mappings + 12);
  EXPECT_LE(late.kilobytes, early.kilobytes + 8192);
}

INSTANTIATE_TEST_SUITE_P(Ways, RdmaLeaks, testing::ValuesIn(kWireWays), name_of_way);

}  // namespace
}  // namespace halyard::test
