// box_halo on problems small enough to write the answer down.
#include <gtest/gtest.h>

#include "halyard/pattern.hpp"
#include "unit/error_text.hpp"

namespace halyard {
namespace {

BoxHalo line(std::int64_t cells, std::int64_t ranks, std::int64_t lo, std::int64_t hi, bool periodic = false) {
  return {Decomposition::grid(Box::of_extent({cells, 1, 1}), {ranks, 1, 1}),
          {periodic, false, false},
          {{lo, 0, 0}, {hi, 0, 0}},
          Reach::full};
}

BoxHalo square(bool periodic, Reach reach) {
  return {Decomposition::grid(Box::of_extent({9, 9, 1}), {3, 3, 1}),
          {periodic, periodic, false},
          Width::axes(1, 1, 0),
          reach};
}

Box cells(std::int64_t lo, std::int64_t hi) { return {{lo, 0, 0}, {hi, 1, 1}}; }

std::int64_t num_ghosts(const Pattern& pattern) {
  std::int64_t sum = 0;
  for (const PatternNeighbor& neighbor : pattern.neighbors)
    for (const Piece& piece : neighbor.receives) sum += piece.num_cells;
  return sum;
}

std::vector<int> ranks_of(const Pattern& pattern) {
  std::vector<int> ranks;
  for (const PatternNeighbor& neighbor : pattern.neighbors) ranks.push_back(neighbor.rank);
  return ranks;
}

TEST(BoxHalo, OnALineSendsItsEdgesAndReceivesTheNeighbors) {
  const Pattern pattern = box_halo(line(12, 3, 1, 2), 1);
  ASSERT_EQ(ranks_of(pattern), (std::vector<int>{0, 2}));
  const PatternNeighbor& left = pattern.neighbors[0];
  ASSERT_EQ(left.receives.size(), 1U);
  EXPECT_EQ(left.receives[0].here.cells, cells(-1, 0));
  EXPECT_EQ(left.receives[0].there.cells, cells(3, 4));
  ASSERT_EQ(left.sends.size(), 1U);
  EXPECT_EQ(left.sends[0].here.cells, cells(0, 2));
  EXPECT_EQ(left.sends[0].there.cells, cells(4, 6));
  const PatternNeighbor& right = pattern.neighbors[1];
  EXPECT_EQ(right.receives[0].here.cells, cells(4, 6));
  EXPECT_EQ(right.sends[0].here.cells, cells(3, 4));
  EXPECT_EQ(right.sends[0].num_cells, 1);
}

TEST(BoxHalo, KnowsItsPatchesAndTheirWidth) {
  const Pattern pattern = box_halo(line(12, 3, 1, 2), 2);
  ASSERT_EQ(pattern.patches.size(), 1U);
  EXPECT_EQ(pattern.patches[0].id, 2);
  EXPECT_EQ(pattern.patches[0].box, cells(8, 12));
  EXPECT_EQ(pattern.patches[0].width, (Width{{1, 0, 0}, {2, 0, 0}}));
  EXPECT_EQ(pattern.rank, 2);
  EXPECT_EQ(pattern.num_ranks, 3);
  EXPECT_EQ(pattern.kind, PatternKind::boxes);
}

TEST(BoxHalo, LeavesGhostsBeyondAnOpenEdgeAlone) {
  const Pattern pattern = box_halo(line(12, 3, 1, 1), 0);
  EXPECT_EQ(ranks_of(pattern), std::vector<int>{1});
  EXPECT_EQ(num_ghosts(pattern), 1);
}

TEST(BoxHalo, WrapsAroundAPeriodicAxis) {
  const Pattern pattern = box_halo(line(12, 3, 1, 1, true), 0);
  ASSERT_EQ(ranks_of(pattern), (std::vector<int>{1, 2}));
  EXPECT_EQ(pattern.neighbors[1].receives[0].here.cells, cells(-1, 0));
  EXPECT_EQ(pattern.neighbors[1].receives[0].there.cells, cells(3, 4));
}

TEST(BoxHalo, OfOneRankOnAPeriodicAxisIsItsOwnNeighbor) {
  const Pattern pattern = box_halo(line(4, 1, 1, 1, true), 0);
  ASSERT_EQ(ranks_of(pattern), std::vector<int>{0});
  EXPECT_EQ(pattern.neighbors[0].receives.size(), 2U);
  EXPECT_EQ(pattern.neighbors[0].sends.size(), 2U);
  EXPECT_EQ(pattern.neighbors[0].send_hash, pattern.neighbors[0].receive_hash);
}

TEST(BoxHalo, WiderThanTheNeighborsBoxReachesTheRanksBehindIt) {
  const Pattern pattern = box_halo(line(6, 6, 3, 0), 5);
  ASSERT_EQ(ranks_of(pattern), (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(pattern.neighbors[0].receives[0].here.cells, cells(-3, -2));
  EXPECT_EQ(pattern.neighbors[2].receives[0].here.cells, cells(-1, 0));
  for (const PatternNeighbor& neighbor : pattern.neighbors) EXPECT_TRUE(neighbor.sends.empty());
}

TEST(BoxHalo, WiderThanThePeriodicDomainReachesSeveralImages) {
  const Pattern pattern = box_halo(line(2, 1, 5, 0, true), 0);
  ASSERT_EQ(ranks_of(pattern), std::vector<int>{0});
  EXPECT_EQ(pattern.neighbors[0].receives.size(), 3U) << "two whole images and half of a third";
  EXPECT_EQ(num_ghosts(pattern), 5);
}

TEST(BoxHalo, OfFullReachFillsCornersAndOfFacesDoesNot) {
  EXPECT_EQ(num_ghosts(box_halo(square(false, Reach::full), 4)), 4 * 3 + 4);
  EXPECT_EQ(num_ghosts(box_halo(square(false, Reach::faces), 4)), 4 * 3);
  EXPECT_EQ(ranks_of(box_halo(square(false, Reach::full), 4)).size(), 8U);
  EXPECT_EQ(ranks_of(box_halo(square(false, Reach::faces), 4)), (std::vector<int>{1, 3, 5, 7}));
}

TEST(BoxHalo, AtAnOpenCornerHasThreeNeighbors) {
  EXPECT_EQ(ranks_of(box_halo(square(false, Reach::full), 0)), (std::vector<int>{1, 3, 4}));
  EXPECT_EQ(ranks_of(box_halo(square(true, Reach::full), 0)).size(), 8U);
}

TEST(BoxHalo, OfNoWidthHasNoNeighbors) {
  const Pattern pattern = box_halo(line(12, 3, 0, 0, true), 1);
  EXPECT_TRUE(pattern.neighbors.empty());
  EXPECT_EQ(pattern.patches.size(), 1U);
}

TEST(BoxHalo, OfARankWithoutCellsHasNoNeighbors) {
  const BoxHalo halo = line(2, 3, 1, 1, true);
  const Pattern nothing = box_halo(halo, 0);
  ASSERT_TRUE(nothing.patches[0].box.empty());
  EXPECT_TRUE(nothing.neighbors.empty());
  EXPECT_EQ(ranks_of(box_halo(halo, 1)), std::vector<int>{2}) << "the empty rank between them is skipped";
}

TEST(BoxHalo, BetweenPatchesOfOneRankStaysOnTheRank) {
  const BoxHalo halo{
      Decomposition::grid(Box::of_extent({6, 1, 1}), {1, 1, 1}, {3, 1, 1}), {}, Width::axes(1, 0, 0), Reach::full};
  const Pattern pattern = box_halo(halo, 0);
  ASSERT_EQ(ranks_of(pattern), std::vector<int>{0});
  EXPECT_EQ(pattern.neighbors[0].receives.size(), 4U);
  EXPECT_EQ(pattern.neighbors[0].receives[0].here.patch, 0);
  EXPECT_EQ(pattern.neighbors[0].receives[0].there.patch, 1);
}

TEST(BoxHalo, RefusesNegativeWidths) {
  BoxHalo halo = line(12, 3, 1, 1);
  halo.width.hi[1] = -2;
  EXPECT_EQ(test::error_text(StatusCode::invalid_argument, [&] { (void)box_halo(halo, 0); }),
            "build a box halo: width 0 below and -2 above on axis 1; widths must be 0 or more");
}

TEST(BoxHalo, RefusesARankThatTheDecompositionDoesNotHave) {
  for (const int rank : {-1, 3})
    EXPECT_EQ(test::error_text(StatusCode::invalid_argument, [&] { (void)box_halo(line(12, 3, 1, 1), rank); }),
              "build a box halo for rank " + std::to_string(rank) +
                  ": the decomposition has ranks 0 to 2; give it as many ranks as the communicator has");
}

}  // namespace
}  // namespace halyard
