// Field cases about what Halyard shares with its program: L02 (the communicator), L04 (threads), F05 (memory).
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"
#include "transport/ucx/factory.hpp"

namespace halyard::test {
namespace {

constexpr int kNumTags = 101;

class L02 : public OnEveryWay {};

// On the very communicator that the context was made from: a wildcard receive is open while exchanges run, and messages
// with every tag from 0 to 100 go to the next rank.
TEST_P(L02, ApplicationTrafficWithEveryTagAndWildcardReceivesDoesNotDisturbAnExchange) {
  const int rank = context().rank();
  const int next = (rank + 1) % context().size();
  const int last = (rank + context().size() - 1) % context().size();
  CodedExchange exchange(context(), way(), small_halo(context().size()));
  std::string wrong;
  for (int tag = 0; tag < kNumTags && wrong.empty(); ++tag) {
    int received = -1;
    const int sent = 1000 * rank + tag;
    MPI_Request requests[2];
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    wrong = exchange.run(static_cast<std::uint64_t>(2 * tag));
    MPI_Isend(&sent, 1, MPI_INT, next, tag, MPI_COMM_WORLD, &requests[1]);
    if (wrong.empty()) wrong = exchange.run(static_cast<std::uint64_t>(2 * tag + 1));
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    if (received != 1000 * last + tag || statuses[0].MPI_TAG != tag || statuses[0].MPI_SOURCE != last)
      wrong = "tag " + std::to_string(tag) + ": the program's own message is wrong: " + std::to_string(received);
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, L02, testing::ValuesIn(kWays), name_of_way);

class L04 : public OnEveryWay {};

TEST_P(L04, FourThreadsWithBindingsOfTheirOwnAreRightUnderThreadMultiple) {
  int level = 0;
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE) GTEST_SKIP() << "MPI gives no MPI_THREAD_MULTIPLE";
  constexpr std::size_t kThreads = 4;
  std::vector<std::unique_ptr<CodedExchange>> exchanges;  // bindings are made one after the other
  for (std::size_t t = 0; t < kThreads; ++t)
    exchanges.push_back(std::make_unique<CodedExchange>(
        context(), way(), small_halo(context().size(), 2 + static_cast<std::int64_t>(t))));
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t step = 0; step < 200 && wrong[t].empty(); ++step)
        wrong[t] = exchanges[t]->run(step * kThreads + t);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : wrong) EXPECT_EQ(first_wrong(MPI_COMM_WORLD, text), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, L04, testing::ValuesIn(kWays), name_of_way);

std::int64_t resident_bytes() {
  std::int64_t total = 0;
  std::int64_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

class F05 : public OnEveryWay {};

TEST_P(F05, TenThousandStepsRegisterNothingAndNeedNoMoreMemory) {
  CodedExchange exchange(context(), way(), small_halo(context().size()));
  std::string wrong;
  std::uint64_t registrations = 0;
  std::int64_t resident = 0;
  for (std::uint64_t step = 0; step < 10'000 && wrong.empty(); ++step) {
    if (step == 3) registrations = transport::ucx::num_registrations();
    if (step == 100) resident = resident_bytes();
    wrong = step % 1000 == 0 ? exchange.run(step) : exchange.binding().forward().wait().text();
  }
  const std::uint64_t new_registrations = transport::ucx::num_registrations() - registrations;
  const std::int64_t growth = resident_bytes() - resident;
  if (wrong.empty() && new_registrations != 0) wrong = std::to_string(new_registrations) + " registrations";
  if (wrong.empty() && growth > 1 << 20) wrong = "resident memory grew by " + std::to_string(growth) + " bytes";
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, F05, testing::ValuesIn(kWays), name_of_way);

}  // namespace
}  // namespace halyard::test
