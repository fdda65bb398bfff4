// Decomposition as a list of patches: what is refused, and the search for overlaps against brute force.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "halyard/decomposition.hpp"
#include "unit/error_text.hpp"

namespace halyard {
namespace {

constexpr Box kDomain{{0, 0, 0}, {8, 8, 1}};

std::string refusal(std::vector<Patch> patches, int num_ranks = 2, const Box& domain = kDomain) {
  return test::error_text(StatusCode::invalid_argument,
                          [&] { (void)Decomposition::patches(domain, num_ranks, std::move(patches)); });
}

Box square(std::int64_t x, std::int64_t y, std::int64_t side) { return {{x, y, 0}, {x + side, y + side, 1}}; }

TEST(PatchList, KeepsPatchesInTheOrderGiven) {
  const auto cells =
      Decomposition::patches(kDomain, 3, {{2, square(4, 4, 4)}, {0, square(0, 0, 4)}, {2, square(4, 0, 4)}});
  EXPECT_EQ(cells.num_patches(), 3);
  EXPECT_EQ(cells.num_ranks(), 3);
  EXPECT_EQ(cells.patch(1), (Patch{0, square(0, 0, 4)}));
  EXPECT_EQ(cells.patches_of(2), (std::vector<int>{0, 2}));
  EXPECT_EQ(cells.patches_of(1), std::vector<int>{});
  EXPECT_EQ(cells.local_number(0), 0);
  EXPECT_EQ(cells.local_number(1), 0);
  EXPECT_EQ(cells.local_number(2), 1);
}

TEST(PatchList, RefusesTwoPatchesThatShareACell) {
  EXPECT_EQ(
      refusal({{0, square(0, 0, 4)}, {1, square(3, 3, 4)}}),
      "decompose by patches: patch 0 of rank 0 [[0, 0, 0], [4, 4, 1]) and patch 1 of rank 1 [[3, 3, 0], [7, 7, 1]) "
      "share cells; every cell needs exactly one owner");
}

TEST(PatchList, RefusesTheSamePatchTwice) {
  EXPECT_NE(refusal({{0, square(0, 0, 2)}, {0, square(0, 0, 2)}}).find("share cells"), std::string::npos);
}

TEST(PatchList, RefusesAPatchOutsideTheDomain) {
  EXPECT_EQ(refusal({{0, square(6, 6, 3)}}),
            "decompose by patches: patch 0 [[6, 6, 0], [9, 9, 1]) leaves the domain [[0, 0, 0], [8, 8, 1])");
}

TEST(PatchList, RefusesARankThatIsNotThere) {
  EXPECT_EQ(refusal({{0, square(0, 0, 2)}, {2, square(4, 4, 2)}}),
            "decompose by patches: patch 1 names rank 2; ranks are 0 to 1");
  EXPECT_EQ(refusal({{-1, square(0, 0, 2)}}), "decompose by patches: patch 0 names rank -1; ranks are 0 to 1");
}

TEST(PatchList, RefusesANegativeExtent) {
  EXPECT_EQ(refusal({{0, {{4, 0, 0}, {2, 1, 1}}}}),
            "decompose by patches: patch 0 [[4, 0, 0], [2, 1, 1]) has the negative extent -2 on axis 0");
}

TEST(PatchList, RefusesNoRanksAndAnEmptyDomain) {
  EXPECT_EQ(refusal({}, 0),
            "decompose by patches: domain [[0, 0, 0], [8, 8, 1]) over 0 ranks; both must be at least 1");
  EXPECT_NE(refusal({}, 1, Box::of_extent({0, 1, 1})).find("over 1 ranks"), std::string::npos);
}

TEST(PatchList, AllowsEmptyPatchesAnywhereAndGapsBetween) {
  const auto cells = Decomposition::patches(kDomain, 2, {{0, {{20, 20, 0}, {20, 25, 1}}}, {1, square(0, 0, 1)}});
  std::vector<int> ids;
  cells.append_overlapping({{-5, -5, -5}, {30, 30, 30}}, ids);
  EXPECT_EQ(ids, std::vector<int>{1});
}

// Patches of random sizes: a grid with random cuts, shuffled, some left out.
std::vector<Patch> random_patches(std::mt19937_64& random) {
  const auto some = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
  };
  std::array<std::vector<std::int64_t>, 3> cuts;
  for (auto& axis : cuts) {
    axis = {0};
    for (int i = 0; i < 4; ++i) axis.push_back(axis.back() + some(7));
    axis.push_back(axis.back() + 1);
  }
  const auto grid = Decomposition::cuts(cuts);
  std::vector<Patch> patches;
  for (int id = 0; id < grid.num_patches(); ++id)
    if (some(3) != 0) patches.push_back({static_cast<int>(some(2)), grid.patch(id).box});
  std::shuffle(patches.begin(), patches.end(), random);
  return patches;
}

TEST(PatchList, FindsExactlyThePatchesThatABoxTouches) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 30; ++round) {
    const auto patches = random_patches(random);
    const auto cells = Decomposition::patches(Box::of_extent({40, 40, 40}), 3, patches);
    for (int query = 0; query < 40; ++query) {
      Box box;
      for (std::size_t a = 0; a < 3; ++a) {
        box.lo[a] = static_cast<std::int64_t>(random() % 40) - 5;
        box.hi[a] = box.lo[a] + static_cast<std::int64_t>(random() % 12);
      }
      std::vector<int> expected;
      for (int id = 0; id < cells.num_patches(); ++id)
        if (!intersect(patches[static_cast<std::size_t>(id)].box, box).empty()) expected.push_back(id);
      std::vector<int> found;
      cells.append_overlapping(box, found);
      EXPECT_EQ(found, expected);
    }
  }
}

}  // namespace
}  // namespace halyard
