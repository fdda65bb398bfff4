// segments_of: the pieces that a message is made of, and when there are too many of them.
#include "pack/segments.hpp"

#include <gtest/gtest.h>

#include "pack/compile.hpp"

namespace halyard::pack {
namespace {

constexpr Place kField = 0x10000;
constexpr std::size_t kMost = 15;

/// One layer of a row-major array of doubles of these extents, packed; which layer along `axis` says `at`.
Program layer(const Index3& extent, std::size_t axis, std::int64_t at, Index3 ghosts = {0, 0, 0}) {
  Box cells{{0, 0, 0}, extent};
  cells.lo[axis] = at;
  cells.hi[axis] = at + 1;
  Index3 stride{8, 8 * (extent[0] + 2 * ghosts[0]), 0};
  stride[2] = stride[1] * (extent[1] + 2 * ghosts[1]);
  const Grid grid{kField, stride};
  const Piece piece{{0, cells, {}}, {0, cells, {}}, cells.num_cells()};
  const MessageLayout layout{cells.num_cells() * 8, {0}, 1};
  const FieldShape field{"x", ElementType::of<double>(), {0, 1, 2}};
  return compile(std::span(&piece, 1), std::span(&field, 1),
                 {{std::span(&grid, 1), 1, nullptr}, Side::here, {{}, 0, &layout}, Side::here});
}

TEST(Segments, ALayerAcrossTheSlowestAxisIsOnePiece) {
  const auto segments = segments_of(layer({8, 4, 5}, 2, 3), kMost);
  ASSERT_TRUE(segments);
  ASSERT_EQ(segments->size(), 1U);
  EXPECT_EQ(segments->front().source, kField + 3 * 8 * 4 * 8);
  EXPECT_EQ(segments->front().offset, 0);
  EXPECT_EQ(segments->front().bytes, 8 * 4 * 8);
}

TEST(Segments, RowsBetweenGhostsAreAPieceEachInTheOrderOfTheMessage) {
  const auto segments = segments_of(layer({8, 4, 5}, 2, 1, {1, 1, 1}), kMost);
  ASSERT_TRUE(segments);
  ASSERT_EQ(segments->size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ((*segments)[i].source, kField + 10 * 6 * 8 + i * 10 * 8);
    EXPECT_EQ((*segments)[i].offset, static_cast<std::int64_t>(i) * 64);
    EXPECT_EQ((*segments)[i].bytes, 64);
  }
}

TEST(Segments, MorePiecesThanAllowedAreNone) {
  EXPECT_TRUE(segments_of(layer({8, 15, 5}, 2, 1, {1, 1, 1}), kMost));
  EXPECT_FALSE(segments_of(layer({8, 16, 5}, 2, 1, {1, 1, 1}), kMost));
  EXPECT_FALSE(segments_of(layer({64, 64, 64}, 0, 0), kMost)) << "elements one by one";
  EXPECT_EQ(num_rows(layer({64, 64, 64}, 0, 0)), 64 * 64);
}

TEST(Segments, PiecesThatContinueEachOtherAreOne) {
  Program program;
  program.blocks.push_back({kField + 64, 64, 64});
  program.blocks.push_back({kField, 0, 64});
  program.blocks.push_back({kField + 128, 136, 64});  // behind a gap in the message
  program.blocks.push_back({kField + 256, 200, 64});  // behind a gap in the field
  const auto segments = segments_of(program, kMost);
  ASSERT_TRUE(segments);
  ASSERT_EQ(segments->size(), 3U);
  EXPECT_EQ(segments->front().bytes, 128);
  EXPECT_EQ((*segments)[1].offset, 136);
  EXPECT_EQ((*segments)[2].source, kField + 256);
}

TEST(Segments, SingleElementsAreNone) {
  Program program;
  program.lists.push_back({kField, 0, 8, 3, {0, 80, 800}, {}});
  EXPECT_FALSE(segments_of(program, kMost));
}

}  // namespace
}  // namespace halyard::pack
