// The data path of self and shared (direct, mailbox and mixed) neither allocates nor calls the system: exactly 0 of
// both in 1,000 exchanges, on the thread of each rank.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <memory>

#include "mpi/cost/cost_counters.hpp"
#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

using Clock = std::chrono::steady_clock;

// A wait that lasts longer looks around whether its peer is alive, ten times a second, which asks the system.
constexpr std::chrono::milliseconds kLookEvery{90};
constexpr int kExchanges = 1000;

struct Costs {
  std::uint64_t heap_calls = 0;
  int num_with_system_calls = 0;
  std::int64_t example = -1;
  int num_disturbed = 0;  // took so long that another program must have had the core; not counted
  Status status;
};

// One exchange between start and stop; nothing in here but the exchange.
template <class Exchange>
void measure(SystemCallWatch& watch, Exchange exchange, Costs& costs) {
  const std::uint64_t heap_calls = num_heap_calls();
  const auto start = Clock::now();
  watch.start();
  Status status = exchange();
  const std::int64_t call = watch.stop();
  costs.heap_calls += num_heap_calls() - heap_calls;
  if (!status.ok()) costs.status = std::move(status);
  if (Clock::now() - start > kLookEvery) {
    ++costs.num_disturbed;
  } else if (call >= 0) {
    ++costs.num_with_system_calls;
    costs.example = call;
  }
}

std::string wrong_in(const Costs& costs) {
  if (!costs.status.ok()) return costs.status.text();
  if (costs.heap_calls != 0) return std::to_string(costs.heap_calls) + " calls of malloc and its kin";
  if (costs.num_with_system_calls != 0)
    return std::to_string(costs.num_with_system_calls) + " exchanges with system calls, such as number " +
           std::to_string(costs.example);
  return costs.num_disturbed > kExchanges / 10 ? "this machine is too busy to tell" : "";
}

class NoCost : public testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (const auto why = SystemCallWatch::unavailable(); !why.empty()) GTEST_SKIP() << why;
    Options options = options_of(GetParam());
    options.wait = Wait::spin;
    context_ = std::make_unique<Context>(MPI_COMM_WORLD, options);
    if (const auto why = closed(*context_, GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  void TearDown() override { context_.reset(); }

  std::unique_ptr<Context> context_;
};

TEST_P(NoCost, ForwardExchangesNeitherAllocateNorCallTheSystem) {
  CodedExchange exchange(*context_, GetParam(), small_halo(context_->size(), 4));
  SystemCallWatch watch;
  Costs costs;
  for (int i = 0; i < kExchanges; ++i)
    measure(
        watch, [&] { return exchange.binding().forward().wait(); }, costs);
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong_in(costs)), "");
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, exchange.run(1)), "");
}

TEST_P(NoCost, ReverseExchangesNeitherAllocateNorCallTheSystem) {
  CodedExchange exchange(*context_, GetParam(), small_halo(context_->size(), 4));
  SystemCallWatch watch;
  Costs costs;
  for (int i = 0; i < kExchanges; ++i) {
    const Reduce op = i % 3 == 0 ? Reduce::sum : i % 3 == 1 ? Reduce::min : Reduce::max;
    measure(
        watch, [&] { return exchange.binding().reverse(op, ReduceOrder::fixed).wait(); }, costs);
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong_in(costs)), "");
}

TEST_P(NoCost, PollingExchangesInFlightNeitherAllocatesNorCallsTheSystem) {
  CodedExchange exchange(*context_, GetParam(), small_halo(context_->size(), 4));
  SystemCallWatch watch;
  Costs costs;
  const auto two_at_a_time = [&] {
    Transfer first = exchange.binding().forward();
    Transfer second = exchange.binding().forward();
    while (!second.ready()) continue;
    Status status = first.wait();
    return status.ok() ? second.wait() : status;
  };
  for (int i = 0; i < kExchanges / 2; ++i) measure(watch, two_at_a_time, costs);
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong_in(costs)), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, NoCost, testing::Values(kDirect, kMailbox, kMixed), name_of_way);

// The instruments themselves: one that never counts would prove everything.
TEST(CostCounters, SeeAnAllocationAndASystemCall) {
  if (const auto why = SystemCallWatch::unavailable(); !why.empty()) GTEST_SKIP() << why;
  SystemCallWatch watch;
  Costs costs;
  const auto allocate_and_call = [] {
    auto* volatile memory = new double(getppid());
    delete memory;
    return Status();
  };
  measure(watch, allocate_and_call, costs);
  measure(
      watch, [] { return Status(); }, costs);
  EXPECT_EQ(costs.heap_calls, 2U);
  EXPECT_EQ(costs.num_with_system_calls, 1);
  EXPECT_EQ(costs.example, 110);  // getppid on x86-64
}

}  // namespace
}  // namespace halyard::test
