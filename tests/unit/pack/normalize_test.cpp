// normalized: blocks in the shape that copies fastest, and still the same copies.
#include <gtest/gtest.h>

#include <set>

#include "unit/pack/naive.hpp"

namespace halyard::pack {
namespace {

Block block(std::int64_t row_bytes, const Index3& count, const Index3& source, const Index3& target) {
  Block b;
  b.row_bytes = row_bytes;
  b.count = count;
  b.source_stride = source;
  b.target_stride = target;
  return b;
}

TEST(Normalized, FoldsWhatIsContiguousAtBothEndsIntoOneRow) {
  const Block b = normalized(block(8, {4, 3, 2}, {8, 32, 96}, {8, 32, 96}));
  EXPECT_EQ(b.row_bytes, 8 * 24);
  EXPECT_EQ(b.count, (Index3{1, 1, 1}));
}

TEST(Normalized, FoldsOnlyAsFarAsBothEndsAreContiguous) {
  const Block b = normalized(block(8, {4, 3, 2}, {8, 100, 300}, {8, 32, 96}));
  EXPECT_EQ(b.row_bytes, 32);
  EXPECT_EQ(b.count, (Index3{6, 1, 1})) << "planes continue each other at both ends";
  EXPECT_EQ(b.source_stride[0], 100);
  EXPECT_EQ(b.target_stride[0], 32);
}

TEST(Normalized, KeepsPlanesApartThatDoNotContinueEachOther) {
  const Block b = normalized(block(8, {4, 3, 2}, {8, 100, 512}, {8, 32, 96}));
  EXPECT_EQ(b.row_bytes, 32);
  EXPECT_EQ(b.count, (Index3{3, 2, 1}));
  EXPECT_EQ(b.source_stride, (Index3{100, 512, 0}));
}

TEST(Normalized, DropsAxesOfOneWhateverTheirStride) {
  const Block b = normalized(block(8, {1, 5, 1}, {999, 64, 7}, {1, 8, 3}));
  EXPECT_EQ(b.row_bytes, 8);
  EXPECT_EQ(b.count, (Index3{5, 1, 1}));
  EXPECT_EQ(b.source_stride, (Index3{64, 0, 0}));
}

TEST(Normalized, PutsTheShortestStridesInnermost) {
  const Block b = normalized(block(4, {2, 3, 5}, {1000, 100, 10}, {2000, 200, 20}));
  EXPECT_EQ(b.count, (Index3{5, 3, 2}));
  EXPECT_EQ(b.source_stride, (Index3{10, 100, 1000}));
  EXPECT_EQ(b.target_stride, (Index3{20, 200, 2000}));
}

TEST(Normalized, DoesNotFoldRowsThatRunBackward) {
  const Block b = normalized(block(8, {4, 1, 1}, {-8, 0, 0}, {8, 0, 0}));
  EXPECT_EQ(b.row_bytes, 8);
  EXPECT_EQ(b.count, (Index3{4, 1, 1}));
}

TEST(Normalized, JoinsAxesThatContinueEachOtherBackward) {
  const Block b = normalized(block(8, {4, 3, 1}, {-8, -32, 0}, {-16, -64, 0}));
  EXPECT_EQ(b.count, (Index3{12, 1, 1}));
  EXPECT_EQ(b.source_stride[0], -8);
}

TEST(Normalized, KeepsABlockWithoutElementsEmpty) {
  const Block b = normalized(block(8, {0, 3, 2}, {8, 32, 96}, {8, 32, 96}));
  EXPECT_EQ(b.row_bytes * b.count[0] * b.count[1] * b.count[2], 0);
}

// All (source, target) byte pairs of a block.
std::set<std::pair<Place, Place>> pairs_of(const Block& b) {
  std::set<std::pair<Place, Place>> pairs;
  test::for_each_row({{b}, {}}, [&](Place source, Place target, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes; ++i) pairs.insert({moved(source, i), moved(target, i)});
  });
  return pairs;
}

TEST(Normalized, MovesTheSameBytesAsBefore) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    test::Draw draw(seed);
    Block b;
    b.row_bytes = draw.between(1, 5);
    for (std::int64_t& n : b.count) n = draw.between(1, 4);
    const auto source = test::random_array(draw, b.count, b.row_bytes);
    const auto target = draw.yes() ? source : test::random_array(draw, b.count, b.row_bytes);
    b.source_stride = source.stride;
    b.target_stride = target.stride;
    b.source = 1'000'000;
    b.target = 2'000'000;
    ASSERT_EQ(pairs_of(normalized(b)), pairs_of(b)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace halyard::pack
