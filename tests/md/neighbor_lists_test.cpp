// Lists hold exactly the pairs within the reach, found here by looking at all of them.
#include "kernels/neighbor_lists.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "scene.hpp"

namespace halyard::md {
namespace {

using Pairs = std::multiset<std::pair<int, int>>;

Pairs pairs_of(const NeighborRows<HostSpace>& rows) {
  Pairs pairs;
  for (int row = 0; row < rows.num_rows; ++row)
    for (int k = 0; k < rows.length(row); ++k) pairs.emplace(rows.atom(row), rows.neighbor(row, k));
  return pairs;
}

/// Half lists may have a pair either way round.
Pairs ascending(const Pairs& pairs) {
  Pairs sorted;
  for (const auto& [i, j] : pairs) sorted.emplace(std::min(i, j), std::max(i, j));
  return sorted;
}

Pairs expected_among_owned(const Scene& scene, ListKind kind) {
  Pairs pairs;
  for (int i = 0; i < scene.views.num_owned; ++i)
    for (int j = kind == ListKind::half ? i + 1 : 0; j < scene.views.num_owned; ++j)
      if (j != i && scene.distance_squared(i, j) <= scene.reach * scene.reach) pairs.emplace(i, j);
  return pairs;
}

Pairs expected_with_ghosts(const Scene& scene) {
  Pairs pairs;
  for (int i = 0; i < scene.views.num_owned; ++i)
    for (int j = scene.views.num_owned; j < scene.views.num_all(); ++j)
      if (scene.distance_squared(i, j) <= scene.reach * scene.reach) pairs.emplace(i, j);
  return pairs;
}

/// Ghosts all around the part.
std::vector<Vector> ghosts_around(const SpaceBox& part, double reach, std::size_t count, unsigned seed) {
  SpaceBox around = part;
  for (std::size_t a = 0; a < 3; ++a) {
    around.lo[a] -= reach;
    around.hi[a] += reach;
  }
  std::vector<Vector> ghosts;
  for (const Vector& p : places(count, around, 0, seed))
    if (!part.holds(p)) ghosts.push_back(p);
  return ghosts;
}

class Lists : public testing::TestWithParam<ListKind> {};
INSTANTIATE_TEST_SUITE_P(HalfAndFull, Lists, testing::Values(ListKind::half, ListKind::full));

void expect_right(const Scene& scene, ListKind kind) {
  const auto lists = scene.lists(kind);
  const Pairs among = pairs_of(lists.among_owned());
  EXPECT_EQ(kind == ListKind::half ? ascending(among) : among, expected_among_owned(scene, kind));
  EXPECT_EQ(pairs_of(lists.with_ghosts()), expected_with_ghosts(scene));
  EXPECT_EQ(lists.num_pairs(),
            static_cast<std::int64_t>(expected_among_owned(scene, kind).size() + expected_with_ghosts(scene).size()));
}

TEST_P(Lists, HoldThePairsWithinTheReachOfRandomAtoms) {
  for (const double width : {1.5, 3.0, 7.7}) {  // thinner than the reach, and many cells wide
    const SpaceBox part{{-1, 2, 0.1}, {-1 + width, 2 + 1.3 * width, 0.1 + 0.9 * width}};
    const Scene scene(part, 1.9, places(150, part, 0, 1), ghosts_around(part, 1.9, 200, 2));
    expect_right(scene, GetParam());
  }
}

TEST_P(Lists, HoldAtomsOfALatticeAtExactlyTheReach) {
  const SpaceBox part{{0, 0, 0}, {4, 4, 4}};
  std::vector<Vector> owned;
  std::vector<Vector> ghosts;
  for (int k = 0; k < 7 * 7 * 7; ++k) {
    const Vector p{k % 7 - 1.0, k / 7 % 7 - 1.0, k / 49 - 1.0};
    (part.holds(p) ? owned : ghosts).push_back(p);
  }
  expect_right(Scene(part, 2.0, owned, ghosts), GetParam());
}

// A row of every length around that of the first attempt, 48: the last neighbor must not be lost.
TEST_P(Lists, MakeRowsLongerUntilEveryNeighborFits) {
  for (std::size_t count = 40; count < 60; ++count) {
    const SpaceBox cluster{{2, 2, 2}, {2.5, 2.5, 2.5}};
    std::vector<Vector> owned = places(count, cluster, 0, 3);
    owned.push_back({3.1, 3.1, 3.1});  // listed after them, and too far
    const Scene scene({{0, 0, 0}, {4, 4, 4}}, 1.0, owned, places(count, {{2, 2, 4}, {2.2, 2.2, 4.1}}, 0, 4));
    expect_right(scene, GetParam());
  }
}

TEST_P(Lists, OfARankWithoutAtomsOrWithoutGhostsAreEmpty) {
  const SpaceBox part{{0, 0, 0}, {4, 4, 4}};
  EXPECT_EQ(Scene(part, 1, {}, {}).lists(GetParam()).num_pairs(), 0);
  EXPECT_EQ(Scene(part, 1, {}, {{4.5, 1, 1}, {4.6, 1, 1}}).lists(GetParam()).num_pairs(), 0) << "ghosts are no pair";
  EXPECT_EQ(Scene(part, 1, {{3.9, 1, 1}}, {{4.5, 1, 1}}).lists(GetParam()).num_pairs(), 1);
}

TEST(CellGrid, HasCellsOfAtLeastHalfTheReachOverThePartAndItsGhosts) {
  const CellGrid grid = CellGrid::around({{0, 0, 0}, {10, 5, 0.1}}, 2.0);
  EXPECT_EQ(grid.count[0], 14);
  EXPECT_EQ(grid.count[1], 9);
  EXPECT_EQ(grid.count[2], 4);
  for (int a = 0; a < 3; ++a) EXPECT_GE(grid.edge[a], 1.0);
  EXPECT_EQ(grid.on_axis(0, -100), 0);
  EXPECT_EQ(grid.on_axis(0, 100), 13);
}

TEST(CellGrid, NeverGoesBackWhenACoordinateGrows) {
  const CellGrid grid = CellGrid::around({{0.1, 0, 0}, {16.796, 1, 1}}, 2.8);
  int last = 0;
  for (double x = -3; x < 20; x += 1e-3) {
    EXPECT_GE(grid.on_axis(0, x), last);
    last = grid.on_axis(0, x);
    EXPECT_LE(grid.distance(0, x, last), 1e-9 + std::max({0.0, 0.1 - 2.8 - x, x - 16.796 - 2.8}));
  }
  EXPECT_EQ(last, grid.count[0] - 1);
}

}  // namespace
}  // namespace halyard::md
