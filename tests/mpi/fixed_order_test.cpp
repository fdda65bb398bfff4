// ReduceOrder::fixed: equal runs give equal bits, and the order is that of the ranks.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

#include "mpi/ranks.hpp"
#include "mpi/ways.hpp"

namespace halyard::test {
namespace {

// Each rank owns one element and holds those of all others as ghosts, so that each owned element gets a value of every
// other rank. Element r of the list is rank r's; the owned one is in its place among the ghosts.
IndexHalo everybody(int rank, int num_ranks) {
  IndexHalo lists{{rank}, {}, {rank}, {}};
  for (int r = 0; r < num_ranks; ++r) {
    if (r == rank) continue;
    lists.ghosts.push_back(r);
    lists.ghosts_at.push_back(r);
  }
  return lists;
}

// What rank `holder` has to add to rank `owner`'s element: magnitudes so far apart that every other order rounds
// otherwise.
double part(int holder, int owner) {
  std::mt19937_64 engine(static_cast<std::uint64_t>(holder * 100 + owner));
  const int exponent = static_cast<int>(engine() % 60);
  return std::ldexp(static_cast<double>(engine() >> 12) * (engine() % 2 == 0 ? 1 : -1), exponent);
}

// Makes the ranks start at different times, in another order in each run.
void skew(int rank, int run) {
  volatile double sink = 0;
  const int rounds = static_cast<int>(std::mt19937_64(static_cast<std::uint64_t>(rank * 31 + run))() % 200'000);
  for (int i = 0; i < rounds; ++i) sink = sink + i;
}

class FixedOrder : public OnEveryWay {};

TEST_P(FixedOrder, AddsInAscendingRankOrderWithTheSameBitsInEveryRun) {
  const int rank = context().rank();
  const int num_ranks = context().size();
  const auto bytes = memory()(static_cast<std::size_t>(num_ranks) * sizeof(double));
  auto* values = reinterpret_cast<double*>(bytes.get());
  HaloExchange exchange(context(), index_halo(context(), everybody(rank, num_ranks)),
                        {FieldView::list(values, num_ranks)});
  double expected = part(rank, rank);
  for (int r = 0; r < num_ranks; ++r)
    if (r != rank) expected += part(r, rank);
  for (int run = 0; run < 5; ++run) {
    for (int r = 0; r < num_ranks; ++r) values[r] = part(rank, r);
    skew(rank, run);
    const Status status = exchange.reverse(Reduce::sum, ReduceOrder::fixed).wait();
    std::string wrong = status.text();
    if (std::memcmp(&values[rank], &expected, sizeof(expected)) != 0)
      wrong += " run " + std::to_string(run) + ": " + std::to_string(values[rank]) + " instead of " +
               std::to_string(expected);
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  }
}

TEST_P(FixedOrder, GivesTheSameBitsInEveryRunOnABoxWhoseCellsAreGhostsOfManyRanks) {
  const int num_ranks = context().size();
  const BoxHalo halo{Decomposition::grid(Box::of_extent({2 * num_ranks, 3, 1}), {num_ranks, 1, 1}),
                     {true, true, false},
                     Width::axes(4, 2, 0)};
  const Index3 owned{2, 3, 1};
  const auto cells = static_cast<std::size_t>(cells_with_halo(owned, halo.width));
  const auto bytes = memory()(cells * sizeof(double));
  auto* values = reinterpret_cast<double*>(bytes.get());
  HaloExchange exchange(context(), box_halo(halo, context().rank()), {FieldView::grid(values, owned, halo.width)});
  std::vector<double> first;
  for (int run = 0; run < 5; ++run) {
    std::mt19937_64 engine(static_cast<std::uint64_t>(context().rank()));
    for (std::size_t i = 0; i < cells; ++i)
      values[i] = std::ldexp(static_cast<double>(engine()), static_cast<int>(engine() % 50));
    skew(context().rank(), run);
    const Status status = exchange.reverse(Reduce::sum, ReduceOrder::fixed).wait();
    std::string wrong = status.text();
    if (run == 0) first.assign(values, values + cells);
    if (std::memcmp(values, first.data(), cells * sizeof(double)) != 0)
      wrong += " run " + std::to_string(run) + " differs";
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, FixedOrder, testing::ValuesIn(kWays), name_of_way);
INSTANTIATE_TEST_SUITE_P(Rdma, FixedOrder, testing::ValuesIn(rdma_ways()), name_of_way);

}  // namespace
}  // namespace halyard::test
