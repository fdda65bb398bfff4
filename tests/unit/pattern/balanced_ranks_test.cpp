// balanced_ranks: the process grid closest to cubes of cells.
#include <gtest/gtest.h>

#include "halyard/decomposition.hpp"
#include "unit/error_text.hpp"

namespace halyard {
namespace {

TEST(BalancedRanks, OfACubeIsACube) {
  EXPECT_EQ(balanced_ranks(8, {64, 64, 64}), (Index3{2, 2, 2}));
  EXPECT_EQ(balanced_ranks(4096, {1024, 1024, 1024}), (Index3{16, 16, 16}));
}

TEST(BalancedRanks, CutsTheLongestAxis) {
  EXPECT_EQ(balanced_ranks(4, {400, 10, 10}), (Index3{4, 1, 1}));
  EXPECT_EQ(balanced_ranks(4, {10, 400, 10}), (Index3{1, 4, 1}));
  EXPECT_EQ(balanced_ranks(6, {10, 20, 30}), (Index3{1, 2, 3}));
}

TEST(BalancedRanks, LeavesAxesOfOneCellUncut) {
  EXPECT_EQ(balanced_ranks(12, {1, 100, 1}), (Index3{1, 12, 1}));
  EXPECT_EQ(balanced_ranks(16, {64, 64, 1}), (Index3{4, 4, 1}));
}

TEST(BalancedRanks, OfAPrimeCutsOneAxis) { EXPECT_EQ(balanced_ranks(7, {70, 20, 20}), (Index3{7, 1, 1})); }

TEST(BalancedRanks, CutsTheSlowestAxisWhenAllAreAlike) { EXPECT_EQ(balanced_ranks(2, {8, 8, 8}), (Index3{1, 1, 2})); }

TEST(BalancedRanks, OfOneRankIsOne) { EXPECT_EQ(balanced_ranks(1, {5, 5, 5}), (Index3{1, 1, 1})); }

TEST(BalancedRanks, UsesEveryRankEvenWithFewerCells) {
  const Index3 ranks = balanced_ranks(8, {2, 1, 1});
  EXPECT_EQ(ranks[0] * ranks[1] * ranks[2], 8);
}

TEST(BalancedRanks, RefusesNoRanks) {
  EXPECT_EQ(test::error_text(StatusCode::invalid_argument,
                             [] {
                               (void)balanced_ranks(0, {1, 1, 1});
                             }),
            "choose a process grid for 0 ranks: need at least 1");
}

}  // namespace
}  // namespace halyard
