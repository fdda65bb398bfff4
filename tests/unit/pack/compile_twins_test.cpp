// The same halo as boxes and as lists of ids: the same pairs are copied, in no more blocks. And lists of any size are
// compiled in a time that grows with their length.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/box_lists.hpp"
#include "unit/pack/naive.hpp"

namespace halyard::pack {
namespace {

constexpr std::int64_t kCells = 10;  // a side of each rank's box
constexpr Place kThere = Place{1} << 40;

struct Twins {
  std::string name;
  Index3 ranks;
  std::int64_t width;
};

std::vector<Twins> twins() {
  std::vector<Twins> all;
  for (const Index3& ranks :
       {Index3{1, 1, 1}, Index3{1, 1, 2}, Index3{1, 2, 1}, Index3{2, 1, 1}, Index3{2, 2, 2}, Index3{3, 3, 3}})
    for (const std::int64_t width : {1, 2, 3, 4})
      all.push_back({"ranks" + std::to_string(ranks[0]) + std::to_string(ranks[1]) + std::to_string(ranks[2]) +
                         "_width" + std::to_string(width),
                     ranks, width});
  return all;
}

class CompileTwins : public testing::TestWithParam<Twins> {
 protected:
  CompileTwins()
      : side_(kCells + 2 * GetParam().width),
        num_ranks_(static_cast<int>(GetParam().ranks[0] * GetParam().ranks[1] * GetParam().ranks[2])),
        boxes_(plan_of(box_halo(halo_, 0))),
        lists_(plan_of(index_halo(all_lists(), 0))) {}

  Plan plan_of(Pattern pattern) const {
    return {std::move(pattern),
            {{"x", ElementType::of<double>(), {0, 1, 2}}},
            PathFacts::uniform(Path::shared, 0, num_ranks_)};
  }

  std::vector<IndexHalo> all_lists() const {
    std::vector<IndexHalo> all;
    for (int rank = 0; rank < num_ranks_; ++rank)
      all.push_back(halyard::test::lists_of(halo_, halo_.cells.patch(halo_.cells.patches_of(rank)[0]).box));
    return all;
  }

  // A field of this array at that address, as the plan sees it.
  Grid grid(const Plan& plan, Place base) const {
    if (plan.pattern().kind == PatternKind::elements) return {base, {8, 0, 0}};
    const Index3 stride{8, 8 * side_, 8 * side_ * side_};
    return {moved(base, GetParam().width * (stride[0] + stride[1] + stride[2])), stride};
  }

  // From the owner's field, which the receiver can read, to this rank's.
  Program direct(const Plan& plan, std::size_t neighbor) const {
    const Grid here = grid(plan, 0);
    const Grid there = grid(plan, kThere);
    return compile(plan.pattern().neighbors[neighbor].receives, plan.fields(),
                   {{{&there, 1}, 1, nullptr}, Side::there, {{&here, 1}, 1, nullptr}, Side::here});
  }
  Program unpack(const Plan& plan, std::size_t neighbor) const {
    const Grid here = grid(plan, 0);
    return compile(plan.pattern().neighbors[neighbor].receives, plan.fields(),
                   {{{}, 0, &plan.neighbors()[neighbor].receive}, Side::here, {{&here, 1}, 1, nullptr}, Side::here});
  }
  Program pack(const Plan& plan, std::size_t neighbor) const {
    const Grid here = grid(plan, 0);
    return compile(plan.pattern().neighbors[neighbor].sends, plan.fields(),
                   {{{&here, 1}, 1, nullptr}, Side::here, {{}, 0, &plan.neighbors()[neighbor].send}, Side::here});
  }

  std::int64_t side_;
  int num_ranks_;
  BoxHalo halo_{Decomposition::grid(Box::of_extent({kCells * GetParam().ranks[0], kCells* GetParam().ranks[1],
                                                    kCells* GetParam().ranks[2]}),
                                    GetParam().ranks),
                {true, true, true},
                Width::all(GetParam().width)};
  Plan boxes_;
  Plan lists_;
};

std::multiset<std::pair<Place, Place>> pairs_of(const Program& program) {
  std::multiset<std::pair<Place, Place>> pairs;
  test::for_each_row(program, [&](Place source, Place target, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes; i += 8) pairs.insert({moved(source, i), moved(target, i)});
  });
  return pairs;
}

TEST_P(CompileTwins, CopyTheSamePairs) {
  ASSERT_EQ(boxes_.neighbors().size(), lists_.neighbors().size());
  for (std::size_t n = 0; n < boxes_.neighbors().size(); ++n)
    EXPECT_EQ(pairs_of(direct(lists_, n)), pairs_of(direct(boxes_, n))) << "neighbor " << n;
}

TEST_P(CompileTwins, MakeNoMoreBlocksOfListsThanOfBoxes) {
  for (std::size_t n = 0; n < boxes_.neighbors().size(); ++n) {
    EXPECT_LE(direct(lists_, n).blocks.size(), direct(boxes_, n).blocks.size()) << "neighbor " << n;
    EXPECT_LE(pack(lists_, n).blocks.size(), pack(boxes_, n).blocks.size()) << "neighbor " << n;
    // The ghost behind one row and the one before the next lie side by side in the field, and in the message of lists.
    EXPECT_LE(unpack(lists_, n).blocks.size(), 2 * unpack(boxes_, n).blocks.size()) << "neighbor " << n;
  }
}

TEST_P(CompileTwins, PrefetchOnTheSameTerms) {
  for (std::size_t n = 0; n < boxes_.neighbors().size(); ++n)
    EXPECT_EQ(direct(lists_, n).prefetches, direct(boxes_, n).prefetches) << "neighbor " << n;
}

INSTANTIATE_TEST_SUITE_P(Halos, CompileTwins, testing::ValuesIn(twins()),
                         [](const testing::TestParamInfo<Twins>& tested) { return tested.param.name; });

// Half a million elements in blocks too different to be joined: minutes, if anything compared each with each.
TEST(CompileLists, OfManyBlocksTakesTimeThatGrowsWithTheirNumber) {
  test::Draw draw(1);
  Piece piece;
  for (std::int64_t at = 0; piece.here.elements.size() < 500'000; at += draw.between(1, 1000)) {
    const std::int64_t length = draw.between(1, 12);
    for (std::int64_t i = 0; i < length; ++i) piece.here.elements.push_back(at++);
  }
  piece.num_cells = static_cast<std::int64_t>(piece.here.elements.size());
  const FieldShape shape{"x", ElementType::of<double>(), {0, 1, 2}};
  const MessageLayout layout{8 * piece.num_cells, {0}, 0};
  const Grid grid{0, {8, 0, 0}};
  const Program program =
      compile({&piece, 1}, {&shape, 1}, {{{&grid, 1}, 1, nullptr}, Side::here, {{}, 0, &layout}, Side::here});
  EXPECT_EQ(program.num_bytes(), layout.bytes);
  EXPECT_GT(program.blocks.size(), 10'000U) << "a list would prove nothing";
}

}  // namespace
}  // namespace halyard::pack
