// index_halo from the lists of all ranks: owners found, both ends in one order, and what is refused.
#include <gtest/gtest.h>

#include "halyard/pattern.hpp"
#include "unit/error_text.hpp"

namespace halyard {
namespace {

using Lists = std::vector<IndexHalo>;
using Elements = std::vector<std::int64_t>;

std::string refusal(const Lists& lists, int rank = 0) {
  return test::error_text(StatusCode::invalid_argument, [&] { (void)index_halo(lists, rank); });
}

TEST(IndexHalo, FindsTheOwnerOfEachGhost) {
  const Lists lists{{{10, 20}, {30}, {}, {}}, {{30, 40}, {20, 10}, {}, {}}};
  const Pattern zero = index_halo(lists, 0);
  ASSERT_EQ(zero.neighbors.size(), 1U);
  EXPECT_EQ(zero.neighbors[0].rank, 1);
  EXPECT_EQ(zero.neighbors[0].receives[0].here.elements, (Elements{2}));
  EXPECT_EQ(zero.neighbors[0].receives[0].there.elements, (Elements{0}));
  EXPECT_EQ(zero.neighbors[0].sends[0].here.elements, (Elements{1, 0})) << "in the order of the ghosts' holder";
  EXPECT_EQ(zero.neighbors[0].sends[0].there.elements, (Elements{2, 3}));
  EXPECT_EQ(zero.neighbors[0].sends[0].num_cells, 2);
}

TEST(IndexHalo, SaysTheSameAtBothEnds) {
  const Lists lists{{{10, 20}, {30}, {}, {}}, {{30, 40}, {20, 10}, {}, {}}};
  const PatternNeighbor zero = index_halo(lists, 0).neighbors[0];
  const PatternNeighbor one = index_halo(lists, 1).neighbors[0];
  EXPECT_EQ(zero.send_hash, one.receive_hash);
  EXPECT_EQ(zero.receive_hash, one.send_hash);
  EXPECT_NE(zero.send_hash, zero.receive_hash);
  EXPECT_EQ(zero.sends[0].here.elements, one.receives[0].there.elements);
  EXPECT_EQ(zero.sends[0].there.elements, one.receives[0].here.elements);
}

TEST(IndexHalo, IsOnePatchOfAsManyElementsAsTheHighestPosition) {
  const Lists lists{{{1, 2}, {3}, {5, 0}, {17}}, {{3}, {}, {}, {}}};
  const Pattern pattern = index_halo(lists, 0);
  EXPECT_EQ(pattern.kind, PatternKind::elements);
  ASSERT_EQ(pattern.patches.size(), 1U);
  EXPECT_EQ(pattern.patches[0].box.extents(), (Index3{18, 1, 1}));
}

TEST(IndexHalo, PutsIdsWhereThePositionsSay) {
  const Lists lists{{{100, -7}, {55}, {4, 9}, {2}}, {{55}, {-7}, {3}, {0}}};
  const Pattern zero = index_halo(lists, 0);
  EXPECT_EQ(zero.neighbors[0].receives[0].here.elements, (Elements{2}));
  EXPECT_EQ(zero.neighbors[0].receives[0].there.elements, (Elements{3}));
  EXPECT_EQ(zero.neighbors[0].sends[0].here.elements, (Elements{9}));
}

TEST(IndexHalo, RunsOneWayAroundARing) {
  Lists lists;
  for (std::int64_t rank = 0; rank < 3; ++rank) lists.push_back({{rank}, {(rank + 1) % 3}, {}, {}});
  for (int rank = 0; rank < 3; ++rank) {
    const Pattern pattern = index_halo(lists, rank);
    ASSERT_EQ(pattern.neighbors.size(), 2U);
    for (const PatternNeighbor& neighbor : pattern.neighbors) {
      const bool is_owner = neighbor.rank == (rank + 1) % 3;
      EXPECT_EQ(neighbor.receives.size(), is_owner ? 1U : 0U);
      EXPECT_EQ(neighbor.sends.size(), is_owner ? 0U : 1U);
      EXPECT_EQ(is_owner ? neighbor.send_hash : neighbor.receive_hash, 0U);
    }
  }
}

TEST(IndexHalo, AllowsGhostsOfARanksOwnElements) {
  const Pattern pattern = index_halo(Lists{{{1, 2}, {2, 2}, {}, {}}}, 0);
  ASSERT_EQ(pattern.neighbors.size(), 1U);
  EXPECT_EQ(pattern.neighbors[0].rank, 0);
  EXPECT_EQ(pattern.neighbors[0].sends[0].here.elements, (Elements{1, 1}));
  EXPECT_EQ(pattern.neighbors[0].sends[0].there.elements, (Elements{2, 3}));
}

TEST(IndexHalo, AllowsRanksThatHaveNothing) {
  const Lists lists{{{}, {}, {}, {}}, {{7}, {}, {}, {}}, {{}, {7}, {}, {}}};
  const Pattern nothing = index_halo(lists, 0);
  EXPECT_TRUE(nothing.neighbors.empty());
  EXPECT_EQ(nothing.patches[0].box.num_cells(), 0);
  EXPECT_EQ(index_halo(lists, 2).neighbors[0].receives[0].here.elements, (Elements{0}));
}

TEST(IndexHalo, TakesAnySixtyFourBitId) {
  const Lists lists{{{INT64_MIN, INT64_MAX}, {}, {}, {}}, {{}, {INT64_MAX, INT64_MIN}, {}, {}}};
  EXPECT_EQ(index_halo(lists, 1).neighbors[0].receives[0].there.elements, (Elements{1, 0}));
}

TEST(IndexHalo, RefusesAnIdWithTwoOwners) {
  EXPECT_EQ(refusal({{{4, 5}, {}, {}, {}}, {{6, 5}, {}, {}, {}}}),
            "build an index halo: global id 5 is owned by rank 0 and by rank 1; every id needs exactly one owner");
}

TEST(IndexHalo, RefusesAnIdThatItsOwnerListsTwice) {
  EXPECT_EQ(refusal({{{4, 4}, {}, {}, {}}}),
            "build an index halo: global id 4 is owned by rank 0 and by rank 0 (listed twice); every id needs exactly "
            "one owner");
}

TEST(IndexHalo, RefusesAGhostWithoutAnOwnerWhoeverAsks) {
  const std::string text =
      "build an index halo: rank 1 lists ghost id 9, which no rank owns; add it to its owner's list";
  const Lists lists{{{1}, {}, {}, {}}, {{2}, {1, 9}, {}, {}}};
  EXPECT_EQ(refusal(lists, 0), text);
  EXPECT_EQ(refusal(lists, 1), text);
}

TEST(IndexHalo, RefusesPositionsThatDoNotMatchTheIds) {
  EXPECT_EQ(
      refusal({{{1, 2}, {}, {0}, {}}}),
      "build an index halo: rank 0 lists 2 owned ids but 1 positions; give one position for each id, or none at all");
  EXPECT_EQ(
      refusal({{{1}, {}, {}, {}}, {{}, {1}, {}, {0, 1}}}),
      "build an index halo: rank 1 lists 1 ghost ids but 2 positions; give one position for each id, or none at all");
}

TEST(IndexHalo, RefusesNegativePositions) {
  EXPECT_EQ(refusal({{{1, 2}, {}, {0, -3}, {}}}),
            "build an index halo: rank 0 gives position -3 to one of its owned ids; positions are element numbers, 0 "
            "or more");
}

TEST(IndexHalo, RefusesARankWithoutLists) {
  EXPECT_EQ(refusal({{}, {}}, 2), "build an index halo for rank 2: lists of 2 ranks were given");
  EXPECT_EQ(refusal({{}, {}}, -1), "build an index halo for rank -1: lists of 2 ranks were given");
}

TEST(IndexHalo, CountsTheMemoryOfItsLists) {
  Lists lists{{{}, {}, {}, {}}, {{}, {}, {}, {}}};
  for (std::int64_t id = 0; id < 1000; ++id) {
    lists[0].owned.push_back(id);
    lists[1].ghosts.push_back(id);
  }
  EXPECT_GE(index_halo(lists, 0).memory_bytes(), 2U * 1000U * sizeof(std::int64_t));
}

}  // namespace
}  // namespace halyard
