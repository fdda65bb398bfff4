// Field cases about which rank's cells go where. Each on 1 to 7 ranks, on every way. shared/field-cases.md tells where
// they come from.
#include <gtest/gtest.h>

#include "mpi/coded_exchange.hpp"
#include "mpi/ranks.hpp"

namespace halyard::test {
namespace {

constexpr bool kFlags[] = {false, true};

// Runs one problem per communicator size on each way; `draw` gives the problem for that many ranks.
void expect_right(const std::vector<int>& counts, const std::function<RandomCase(int num_ranks)>& draw) {
  for_first_ranks(counts, [&](MPI_Comm comm) {
    for (const Way& way : kWays) {
      Context context(comm, options_of(way));
      if (!closed(context, way).empty()) continue;
      EXPECT_EQ(wrong_in_case(comm, context, way, draw(context.size())), "");
    }
  });
}

Decomposition row(std::int64_t cells, int num_ranks) {
  return Decomposition::grid(Box::of_extent({cells, 1, 1}), {num_ranks, 1, 1});
}

std::vector<double> exchanged(Context& context, const BoxHalo& halo, std::vector<double> values) {
  const auto owned = halo.cells.patch(context.rank()).box.extents();
  HaloExchange exchange(context, box_halo(halo, context.rank()), {FieldView::grid(values.data(), owned, halo.width)});
  const Status status = exchange.forward().wait();
  EXPECT_TRUE(status.ok()) << status.text();
  return values;
}

TEST(D01, TwoRanksOnAPeriodicAxisDoNotSwapFaces) {
  for_first_ranks({2}, [](MPI_Comm comm) {
    for (const Way& way : kWays) {
      Context context(comm, options_of(way));
      if (!closed(context, way).empty()) continue;
      const BoxHalo halo{row(8, 2), {true, false, false}, Width::axes(1, 0, 0)};
      const double first = context.rank() == 0 ? 0 : 4;
      const auto got = exchanged(context, halo, {-1, first, first + 1, first + 2, first + 3, -1});
      EXPECT_EQ(got.front(), context.rank() == 0 ? 7 : 3) << way.name << ", rank " << context.rank();
      EXPECT_EQ(got.back(), context.rank() == 0 ? 4 : 0) << way.name << ", rank " << context.rank();
    }
  });
}

TEST(D01, OneTwoAndThreeRanksOnAnAxisAreRightPeriodicOrNot) {
  for (const bool periodic : kFlags)
    expect_right({1, 2, 3}, [&](int n) {
      return plain_case(row(8, n), {periodic, false, false}, Width::axes(1, 0, 0));
    });
}

TEST(D03, OneRankOnAPeriodicAxisGetsItsOwnCellsFromTheOtherEnd) {
  for_first_ranks({1}, [](MPI_Comm comm) {
    Context context(comm, options_of(kMailbox));
    const BoxHalo halo{row(4, 1), {true, false, false}, Width::axes(2, 0, 0)};
    EXPECT_EQ(exchanged(context, halo, {-1, -1, 1, 2, 3, 4, -1, -1}), (std::vector<double>{3, 4, 1, 2, 3, 4, 1, 2}));
  });
}

TEST(D03, OneRankAlongAnAxisIsRightInThreeDimensionsWithItsCorners) {
  for (const Index3& one : {Index3{1, 0, 0}, Index3{0, 1, 0}, Index3{0, 0, 1}})
    expect_right({1, 2, 3}, [&](int n) {
      // All ranks on the axis after `one`, so that the periodic axis `one` has a single rank.
      const Index3 ranks{one[2] == 1 ? n : 1, one[0] == 1 ? n : 1, one[1] == 1 ? n : 1};
      return plain_case(Decomposition::grid(Box::of_extent({4, 5, 6}), ranks), {true, true, true}, Width::all(2));
    });
}

TEST(D04, SubdomainsOneCellThickAreRight) {
  // The case's own: 4 x 1 x 3 cells on 3 ranks, and 2 x 2 ranks with a row of height 1.
  for (const bool periodic : kFlags) {
    expect_right({3}, [&](int) {
      return plain_case(Decomposition::grid(Box::of_extent({4, 1, 3}), {1, 1, 3}), {periodic, periodic, periodic},
                        Width::all(1));
    });
    expect_right({3}, [&](int) {
      return plain_case(Decomposition::grid(Box::of_extent({4, 1, 3}), {3, 1, 1}), {periodic, periodic, periodic},
                        Width::all(1));
    });
    expect_right({4}, [&](int) {
      return plain_case(Decomposition::cuts({{{0, 3, 6}, {0, 1, 4}, {0, 1}}}), {periodic, periodic, false},
                        Width::axes(1, 1, 0));
    });
  }
}

TEST(D05, AHaloWiderThanTheNeighborsSubdomainReachesTheRanksBehindIt) {
  for (const bool periodic : kFlags) {
    // 4 ranks with 2 cells each, halo 3; and a halo wider than the whole domain.
    expect_right({1, 2, 4}, [&](int n) {
      return plain_case(row(2 * n, n), {periodic, false, false}, Width::axes(3, 0, 0));
    });
    expect_right({1, 3}, [&](int n) { return plain_case(row(n, n), {periodic, false, false}, Width::axes(7, 0, 0)); });
  }
}

TEST(D06, CellsThatDoNotDivideEvenlyAndFewerCellsThanRanksAreRight) {
  for (const bool periodic : kFlags) {
    expect_right({3, 4, 7}, [&](int n) {
      return plain_case(row(10, n), {periodic, false, false}, Width::axes(1, 0, 0));
    });
    expect_right({4, 7}, [&](int n) { return plain_case(row(3, n), {periodic, false, false}, Width::axes(1, 0, 0)); });
  }
}

TEST(D06, BothSidesOfAFaceAgreeOnTheByteCount) {
  for_first_ranks({3, 4, 7}, [](MPI_Comm comm) {
    const int size = size_of(comm);
    const BoxHalo halo{row(10, size), {true, false, false}, Width::axes(2, 0, 0)};
    std::vector<long> sent(static_cast<std::size_t>(size));
    std::vector<long> arriving(static_cast<std::size_t>(size));
    const Plan plan(box_halo(halo, rank_of(comm)), {FieldShape{}}, PathFacts::uniform(Path::mpi, rank_of(comm), size));
    for (const PlanNeighbor& neighbor : plan.neighbors())
      sent[static_cast<std::size_t>(neighbor.rank)] = neighbor.send.bytes;
    MPI_Alltoall(sent.data(), 1, MPI_LONG, arriving.data(), 1, MPI_LONG, comm);
    for (const PlanNeighbor& neighbor : plan.neighbors())
      EXPECT_EQ(arriving[static_cast<std::size_t>(neighbor.rank)], neighbor.receive.bytes) << "from " << neighbor.rank;
  });
}

// Runs an index halo given by everybody's lists; rank's ghosts must hold 100 * owner.
void expect_delivered(MPI_Comm comm, const Way& way, const IndexHalo& mine) {
  Context context(comm, options_of(way));
  if (!closed(context, way).empty()) return;
  const Pattern pattern = index_halo(context, mine);
  const auto memory = allocate_on(context, way)(16 * sizeof(double));
  auto* values = reinterpret_cast<double*>(memory.get());
  values[0] = 100.0 * context.rank();
  HaloExchange exchange(context, pattern, {FieldView::list(values, 16)});
  for (int step = 0; step < 5; ++step) {
    for (int i = 1; i < 16; ++i) values[i] = -1;
    std::string wrong = exchange.forward().wait().text();
    for (std::size_t i = 0; i < mine.ghosts.size(); ++i)
      if (values[1 + i] != 100.0 * static_cast<double>(mine.ghosts[i]))
        wrong += "ghost of " + std::to_string(mine.ghosts[i]);
    ASSERT_EQ(first_wrong(comm, wrong), "") << way.name;
  }
}

TEST(D08, ARankThatReceivesFromOneItDoesNotSendToIsServed) {
  for_first_ranks({3, 4}, [](MPI_Comm comm) {
    const std::int64_t rank = rank_of(comm);
    const std::int64_t size = size_of(comm);
    for (const Way& way : kWays) {
      expect_delivered(comm, way, {{rank}, {(rank + size - 1) % size}, {}, {}});  // a ring, one way round
      expect_delivered(comm, way,
                       {{rank}, rank == 0 ? std::vector<std::int64_t>{} : std::vector<std::int64_t>{0}, {}, {}});
      std::vector<std::int64_t> all_others;  // all to rank 0, nothing back
      for (std::int64_t r = 1; r < size && rank == 0; ++r) all_others.push_back(r);
      expect_delivered(comm, way, {{rank}, all_others, {}, {}});
    }
  });
}

}  // namespace
}  // namespace halyard::test
