// Decomposition as a grid: cuts, ranks, patches, and the search for overlaps against brute force.
#include "halyard/decomposition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "unit/error_text.hpp"

namespace halyard {
namespace {

using test::error_text;

std::vector<int> overlapping(const Decomposition& cells, const Box& box) {
  std::vector<int> ids;
  cells.append_overlapping(box, ids);
  return ids;
}

std::vector<int> overlapping_by_brute_force(const Decomposition& cells, const Box& box) {
  std::vector<int> ids;
  for (int id = 0; id < cells.num_patches(); ++id)
    if (!intersect(cells.patch(id).box, box).empty()) ids.push_back(id);
  return ids;
}

std::int64_t num_cells(const Decomposition& cells) {
  std::int64_t sum = 0;
  for (int id = 0; id < cells.num_patches(); ++id) sum += cells.patch(id).box.num_cells();
  return sum;
}

void expect_consistent_numbers(const Decomposition& cells) {
  int seen = 0;
  for (int rank = 0; rank < cells.num_ranks(); ++rank) {
    const auto ids = cells.patches_of(rank);
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    for (std::size_t n = 0; n < ids.size(); ++n) {
      EXPECT_EQ(cells.patch(ids[n]).rank, rank);
      EXPECT_EQ(cells.local_number(ids[n]), static_cast<int>(n));
    }
    seen += static_cast<int>(ids.size());
  }
  EXPECT_EQ(seen, cells.num_patches());
}

TEST(GridDecomposition, CutsUnevenCellsAtTheFloorOfEachShare) {
  const auto cells = Decomposition::grid(Box::of_extent({10, 1, 1}), {4, 1, 1});
  EXPECT_EQ(cells.patch(0).box, (Box{{0, 0, 0}, {2, 1, 1}}));
  EXPECT_EQ(cells.patch(1).box, (Box{{2, 0, 0}, {5, 1, 1}}));
  EXPECT_EQ(cells.patch(2).box, (Box{{5, 0, 0}, {7, 1, 1}}));
  EXPECT_EQ(cells.patch(3).box, (Box{{7, 0, 0}, {10, 1, 1}}));
}

TEST(GridDecomposition, NumbersRanksWithXFastest) {
  const auto cells = Decomposition::grid(Box::of_extent({4, 6, 10}), {2, 3, 5});
  EXPECT_EQ(cells.num_ranks(), 30);
  EXPECT_EQ(cells.patches_of(1 + 2 * (2 + 3 * 4)), std::vector<int>{29});
  EXPECT_EQ(cells.patch(29).box, (Box{{2, 4, 8}, {4, 6, 10}}));
  EXPECT_EQ(cells.patch(1).box.lo, (Index3{2, 0, 0}));
  EXPECT_EQ(cells.patch(2).box.lo, (Index3{0, 2, 0}));
}

TEST(GridDecomposition, SplitsPrimesOverPrimesWithoutLosingACell) {
  const auto cells = Decomposition::grid({{-3, 5, 0}, {14, 18, 11}}, {7, 5, 3});
  EXPECT_EQ(num_cells(cells), 17 * 13 * 11);
  EXPECT_EQ(cells.domain(), (Box{{-3, 5, 0}, {14, 18, 11}}));
  expect_consistent_numbers(cells);
}

TEST(GridDecomposition, GivesSomeRanksNothingWhenThereAreFewerCellsThanRanks) {
  const auto cells = Decomposition::grid(Box::of_extent({3, 1, 1}), {5, 1, 1});
  int num_empty = 0;
  for (int id = 0; id < 5; ++id) num_empty += cells.patch(id).box.empty() ? 1 : 0;
  EXPECT_EQ(num_empty, 2);
  EXPECT_EQ(num_cells(cells), 3);
  expect_consistent_numbers(cells);
}

TEST(GridDecomposition, SplitsEachRanksBlockIntoPatchesOfItsOwn) {
  const auto cells = Decomposition::grid(Box::of_extent({10, 7, 1}), {2, 1, 1}, {2, 3, 1});
  EXPECT_EQ(cells.num_patches(), 12);
  EXPECT_EQ(num_cells(cells), 70);
  expect_consistent_numbers(cells);
  for (const int id : cells.patches_of(1)) EXPECT_GE(cells.patch(id).box.lo[0], 5);
}

TEST(GridDecomposition, KeepsLargeDomainsExact) {
  const std::int64_t side = std::int64_t{1} << 40;
  const auto cells = Decomposition::grid(Box::of_extent({side + 1, 1, 1}), {4096, 1, 1});
  EXPECT_EQ(cells.patch(4095).box.hi[0], side + 1);
  EXPECT_EQ(cells.patch(0).box.hi[0], side / 4096);
}

TEST(GridDecomposition, TakesCutsOfTheCaller) {
  const auto cells = Decomposition::cuts({{{0, 1, 1, 9}, {0, 4}, {-2, 0}}});
  EXPECT_EQ(cells.num_ranks(), 3);
  EXPECT_EQ(cells.domain(), (Box{{0, 0, -2}, {9, 4, 0}}));
  EXPECT_TRUE(cells.patch(1).box.empty());
  EXPECT_EQ(cells.patch(2).box, (Box{{1, 0, -2}, {9, 4, 0}}));
  expect_consistent_numbers(cells);
}

TEST(GridDecomposition, RefusesCutsThatAreNone) {
  const auto text = [](std::vector<std::int64_t> x) {
    return error_text(StatusCode::invalid_argument, [&] {
      (void)Decomposition::cuts({{std::move(x), {0, 1}, {0, 1}}});
    });
  };
  const std::string why = "; give one more than ranks, ascending, and not all the same";
  EXPECT_EQ(text({0}), "decompose by cuts: axis 0 has cuts [0]" + why);
  EXPECT_EQ(text({3, 1}), "decompose by cuts: axis 0 has cuts [3, 1]" + why);
  EXPECT_EQ(text({2, 2, 2}), "decompose by cuts: axis 0 has cuts [2, 2, 2]" + why);
  EXPECT_EQ(text({}), "decompose by cuts: axis 0 has cuts []" + why);
}

TEST(GridDecomposition, RefusesAnEmptyDomainAndGridsWithoutRanks) {
  const auto refused = [](const Box& domain, const Index3& ranks, const Index3& per_rank) {
    return error_text(StatusCode::invalid_argument, [&] { (void)Decomposition::grid(domain, ranks, per_rank); });
  };
  EXPECT_EQ(refused(Box::of_extent({4, 0, 4}), {1, 1, 1}, {1, 1, 1}),
            "decompose a grid: the domain has extent 0 on axis 1; extents must be at least 1");
  EXPECT_EQ(refused(Box::of_extent({4, 4, -4}), {1, 1, 1}, {1, 1, 1}),
            "decompose a grid: the domain has extent -4 on axis 2; extents must be at least 1");
  EXPECT_EQ(refused(Box::of_extent({4, 4, 4}), {0, 1, 1}, {1, 1, 1}),
            "decompose a grid: 0 ranks with 1 patches each on axis 0; both must be at least 1");
  EXPECT_EQ(refused(Box::of_extent({4, 4, 4}), {1, 1, 1}, {1, 1, -2}),
            "decompose a grid: 1 ranks with -2 patches each on axis 2; both must be at least 1");
}

TEST(GridDecomposition, FindsExactlyThePatchesThatABoxTouches) {
  std::mt19937_64 random(11);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  for (int round = 0; round < 60; ++round) {
    const Index3 ranks{between(1, 4), between(1, 4), between(1, 3)};
    const auto cells = Decomposition::grid({{between(-4, 4), 0, -1}, {between(5, 14), between(1, 6), between(0, 5)}},
                                           ranks, {between(1, 3), 1, between(1, 2)});
    for (int query = 0; query < 40; ++query) {
      Box box;
      for (std::size_t a = 0; a < 3; ++a) {
        box.lo[a] = between(-8, 16);
        box.hi[a] = box.lo[a] + between(0, 8);
      }
      EXPECT_EQ(overlapping(cells, box), overlapping_by_brute_force(cells, box));
    }
  }
}

TEST(GridDecomposition, AppendsWhatItFindsAndKeepsWhatWasThere) {
  const auto cells = Decomposition::grid(Box::of_extent({4, 1, 1}), {4, 1, 1});
  std::vector<int> ids{99};
  cells.append_overlapping({{1, 0, 0}, {3, 1, 1}}, ids);
  EXPECT_EQ(ids, (std::vector<int>{99, 1, 2}));
}

}  // namespace
}  // namespace halyard
