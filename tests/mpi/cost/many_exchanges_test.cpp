// 10,000 checked exchanges on the paths that Halyard synchronizes by itself; what the asan preset runs longest.
#include <gtest/gtest.h>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

class ManyExchanges : public OnEveryWay {};

TEST_P(ManyExchanges, TenThousandForwardExchangesAreAllRight) {
  CodedExchange exchange(context(), way(), small_halo(context().size(), 2));
  std::string wrong;
  for (std::uint64_t step = 0; step < 10'000 && wrong.empty(); ++step) wrong = exchange.run(step);
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(ManyExchanges, SeveralInFlightOnOneBindingEndInOrder) {
  // The owned cells stay as they are while exchanges overlap; ghosts must hold them after each.
  CodedExchange exchange(context(), way(), small_halo(context().size(), 2));
  std::string wrong;
  for (std::uint64_t step = 0; step < 500 && wrong.empty(); ++step) {
    exchange.fields().fill(step);
    std::vector<Transfer> transfers;
    for (int i = 0; i < kMaxInFlight; ++i) transfers.push_back(exchange.binding().forward());
    for (Transfer& transfer : transfers)
      if (const Status status = transfer.wait(); wrong.empty()) wrong = status.text();
    if (wrong.empty()) wrong = exchange.fields().check(step);
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(ManyExchanges, WaitingOnOneNeighborAfterTheOtherPutsAllGhostsInPlace) {
  CodedExchange exchange(context(), way(), small_halo(context().size()));
  std::string wrong;
  for (std::uint64_t step = 0; step < 200 && wrong.empty(); ++step) {
    exchange.fields().fill(step);
    Transfer transfer = exchange.binding().forward();
    for (const PlanNeighbor& neighbor : exchange.binding().plan().neighbors())
      if (const Status status = transfer.wait_on(neighbor.rank); wrong.empty()) wrong = status.text();
    if (wrong.empty()) wrong = exchange.fields().check(step);  // before this rank's own cells are free again
    if (const Status status = transfer.wait(); wrong.empty()) wrong = status.text();
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, ManyExchanges, testing::Values(kDirect, kMailbox, kMixed), name_of_way);

}  // namespace
}  // namespace halyard::test
