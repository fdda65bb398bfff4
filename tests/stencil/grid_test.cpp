// How a grid is shared among ranks, and a block cut into regions.
#include "model/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace halyard::stencil {
namespace {

/// How often each cell of the block is in a region.
std::vector<int> visits(const Index3& owned, const std::vector<Box>& regions) {
  std::vector<int> count(static_cast<std::size_t>(Box::of_extent(owned).num_cells()), 0);
  for (const Box& r : regions)
    for (std::int64_t z = r.lo[2]; z < r.hi[2]; ++z)
      for (std::int64_t y = r.lo[1]; y < r.hi[1]; ++y)
        for (std::int64_t x = r.lo[0]; x < r.hi[0]; ++x)
          ++count.at(static_cast<std::size_t>(x + owned[0] * (y + owned[1] * z)));
  return count;
}

TEST(Regions, CoverEachCellOnceForAllSmallBlocks) {
  for (int radius = 1; radius <= 4; ++radius)
    for (std::int64_t i = 0; i < 10 * 10 * 10; ++i) {
      const Index3 owned{i % 10 + 1, i / 10 % 10 + 1, i / 100 + 1};
      const Regions regions = split_regions(owned, radius);
      std::vector<Box> all = regions.boundary;
      all.insert(all.end(), regions.interior.begin(), regions.interior.end());
      const std::vector<int> count = visits(owned, all);
      ASSERT_TRUE(std::all_of(count.begin(), count.end(), [](int n) { return n == 1; }))
          << owned[0] << "," << owned[1] << "," << owned[2] << " radius " << radius;
    }
}

TEST(Regions, InteriorReadsNoGhosts) {
  const Index3 owned{9, 8, 7};
  for (const Box& box : split_regions(owned, 2).interior)
    EXPECT_TRUE(Box::of_extent(owned).contains(grown(box, Width::all(2))));
}

TEST(Regions, OfAnEmptyBlockAreNone) {
  const Regions regions = split_regions({0, 4, 4}, 1);
  EXPECT_TRUE(regions.interior.empty());
  EXPECT_TRUE(regions.boundary.empty());
}

TEST(Grid, RefusesAProcessGridOfAnotherNumberOfRanks) {
  try {
    make_grid({{8, 8, 8}, Index3{2, 2, 1}, {true, true, true}, {}}, 0, 3);
    FAIL() << "4 places for 3 ranks were accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("--ranks 2,2,1"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("3 ranks"), std::string::npos) << error.what();
  }
}

TEST(Grid, RefusesAProcessGridWhoseProductOverflows) {
  const std::int64_t big = 2147483647;
  EXPECT_THROW(make_grid({{8, 8, 8}, Index3{big, big, big}, {true, true, true}, {}}, 0, 3), std::invalid_argument);
}

TEST(Grid, RefusesMoreCellsThanCanBeCounted) {
  const std::int64_t big = 2147483647;
  EXPECT_THROW(make_grid({{big, big, big}, {}, {true, true, true}, {}}, 0, 1), std::invalid_argument);
}

}  // namespace
}  // namespace halyard::stencil
