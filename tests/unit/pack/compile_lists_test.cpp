// append_pairs and compile for lists: boxes in disguise become a few blocks, the rest a List, and both copy alike.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "unit/pack/naive.hpp"

namespace halyard::pack {
namespace {

using Offsets = std::vector<std::int64_t>;

Block element_of(std::int64_t bytes) {
  Block like;
  like.row_bytes = bytes;
  return like;
}

Offsets dense(std::size_t count, std::int64_t bytes) {
  Offsets offsets(count);
  for (std::size_t i = 0; i < count; ++i) offsets[i] = static_cast<std::int64_t>(i) * bytes;
  return offsets;
}

// Elements of a box in an array of side 10, x fastest.
Offsets box_offsets(const Box& box, std::int64_t bytes) {
  Offsets offsets;
  for (std::int64_t z = box.lo[2]; z < box.hi[2]; ++z)
    for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y)
      for (std::int64_t x = box.lo[0]; x < box.hi[0]; ++x) offsets.push_back((x + 10 * (y + 10 * z)) * bytes);
  return offsets;
}

Program program_of(const Offsets& sources, const Offsets& targets, std::int64_t bytes) {
  Program program;
  append_pairs(element_of(bytes), sources, targets, program);
  return program;
}

void expect_copies_like(const Program& program, const Offsets& sources, const Offsets& targets, std::int64_t bytes) {
  test::Draw draw(9);
  const auto most = [&](const Offsets& o) {
    return static_cast<std::size_t>(*std::max_element(o.begin(), o.end()) + bytes);
  };
  const auto source = draw.bytes(most(sources));
  auto target = draw.bytes(most(targets));
  auto expected = target;
  for (std::size_t i = 0; i < sources.size(); ++i)
    std::copy_n(source.data() + sources[i], bytes, expected.data() + targets[i]);
  copy(program, source.data(), target.data());
  ASSERT_EQ(target, expected);
  EXPECT_EQ(program.num_bytes(), static_cast<std::int64_t>(sources.size()) * bytes);
}

TEST(AppendPairs, MakesOneBlockOfABox) {
  for (const Box& box : {Box{{1, 1, 1}, {9, 9, 2}}, Box{{1, 1, 1}, {2, 9, 9}}, Box{{2, 3, 4}, {6, 8, 9}},
                         Box{{0, 0, 0}, {10, 10, 10}}}) {
    const Offsets sources = box_offsets(box, 8);
    const Program program = program_of(sources, dense(sources.size(), 8), 8);
    EXPECT_EQ(program.blocks.size(), 1U);
    EXPECT_TRUE(program.lists.empty());
    expect_copies_like(program, sources, dense(sources.size(), 8), 8);
  }
}

TEST(AppendPairs, MakesOneBlockOfABoxInReverseOrder) {
  Offsets sources = box_offsets({{2, 3, 4}, {6, 8, 9}}, 8);
  std::reverse(sources.begin(), sources.end());
  const Program program = program_of(sources, dense(sources.size(), 8), 8);
  EXPECT_EQ(program.blocks.size(), 1U);
  expect_copies_like(program, sources, dense(sources.size(), 8), 8);
}

TEST(AppendPairs, MakesFewBlocksOfAWholeHalo) {
  Offsets sources;  // the border of an 8x8x8 box inside the array, as 26 boxes one after the other
  for (int n = 0; n < 27; ++n) {
    if (n == 13) continue;
    Box box;
    const int side[3] = {n % 3, n / 3 % 3, n / 9};
    for (std::size_t a = 0; a < 3; ++a) {
      box.lo[a] = side[a] == 2 ? 8 : 1;
      box.hi[a] = side[a] == 0 ? 2 : 9;
    }
    const Offsets more = box_offsets(box, 8);
    sources.insert(sources.end(), more.begin(), more.end());
  }
  const Program program = program_of(sources, dense(sources.size(), 8), 8);
  EXPECT_TRUE(program.lists.empty());
  EXPECT_LE(program.blocks.size(), 60U) << "26 boxes; where one ends and the next begins a run may be split";
  expect_copies_like(program, sources, dense(sources.size(), 8), 8);
}

TEST(AppendPairs, LeavesAListWithoutStructureAList) {
  test::Draw draw(3);
  Offsets sources = dense(200, 8);
  draw.shuffle(sources);
  const Program program = program_of(sources, dense(200, 8), 8);
  EXPECT_TRUE(program.blocks.empty());
  ASSERT_EQ(program.lists.size(), 1U);
  EXPECT_EQ(program.lists[0].source_offsets, sources);
  EXPECT_TRUE(program.lists[0].target_offsets.empty()) << "dense offsets are not kept";
  expect_copies_like(program, sources, dense(200, 8), 8);
}

TEST(AppendPairs, CopiesAnyListAsItIsWritten) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    test::Draw draw(seed);
    const std::int64_t bytes = draw.between(1, 64);
    Offsets sources;
    while (sources.size() < 120) {  // runs of random length and distance, with jumps between them
      const std::int64_t step = draw.between(0, 3) * bytes;
      std::int64_t at = draw.between(0, 300) * bytes;
      for (std::int64_t i = draw.between(1, 12); i > 0; --i, at += step) sources.push_back(at);
    }
    Offsets targets = dense(sources.size(), bytes);
    if (draw.yes()) draw.shuffle(targets);
    SCOPED_TRACE(seed);
    expect_copies_like(program_of(sources, targets, bytes), sources, targets, bytes);
    if (HasFatalFailure()) return;
  }
}

// A ghost that is listed several times sends its owner the same element several times; in reverse all of them count.
TEST(AppendPairs, AddsEveryCopyOfARepeatedElementInReverse) {
  Offsets targets(10, 0);
  for (const bool is_run : {true, false}) {
    if (!is_run) targets[3] = targets[7] = 8;
    const Program program = program_of(dense(10, 8), targets, 8);
    Program typed = program;
    for (Block& b : typed.blocks) b.scalar = Scalar::f64;
    for (List& l : typed.lists) l.scalar = Scalar::f64;
    const std::vector<double> ghosts(10, 1.0);
    double owned[2] = {0.5, 0.5};
    reduce(typed, Reduce::sum, reinterpret_cast<const std::byte*>(ghosts.data()), reinterpret_cast<std::byte*>(owned));
    EXPECT_EQ(owned[0], is_run ? 10.5 : 8.5);
    EXPECT_EQ(owned[1], is_run ? 0.5 : 2.5);
  }
}

TEST(AppendPairs, OfNothingAddsNothingToCopy) { EXPECT_EQ(program_of({}, {}, 8).num_bytes(), 0); }

TEST(AppendPairs, KeepsOffsetsBeyondFourGibibytes) {
  const std::int64_t far = (std::int64_t{1} << 32) + 8;
  const Program program = program_of({0, far, 2 * far, 3 * far, 4 * far}, dense(5, 8), 8);
  ASSERT_EQ(program.blocks.size(), 1U);
  EXPECT_EQ(program.blocks[0].source_stride[0], far);
}

TEST(CompileLists, PacksElementsInTheOrderOfTheList) {
  std::vector<std::int64_t> field(40);
  std::iota(field.begin(), field.end(), 100);
  const std::vector<Grid> grids{{place_of(field.data()), {8, 0, 0}}};
  Piece piece;
  piece.here.elements = {7, 3, 3, 39, 0, 12, 5, 31, 2};
  piece.num_cells = 9;
  const FieldShape shape{"x", ElementType::of<std::int64_t>(), {0, 1, 2}};
  const MessageLayout layout{80, {8}, 0};
  std::int64_t message[10] = {};
  const Program program =
      compile({&piece, 1}, {&shape, 1}, {{grids, 1, nullptr}, Side::here, {{}, 0, &layout}, Side::here});
  copy(program, nullptr, reinterpret_cast<std::byte*>(message));
  EXPECT_EQ(message[0], 0);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(message[i + 1], 100 + piece.here.elements[i]);
}

TEST(CompileLists, FollowsTheStrideOfRecords) {
  struct Record {
    double x;
    std::int32_t id;
  };
  std::vector<Record> field(20);
  for (int i = 0; i < 20; ++i) field[static_cast<std::size_t>(i)].id = i;
  const std::vector<Grid> grids{{place_of(&field[0].id), {sizeof(Record), 0, 0}}};
  Piece piece;
  piece.here.elements = {19, 1, 2, 3, 4, 10};
  piece.num_cells = 6;
  const FieldShape shape{"id", ElementType::of<std::int32_t>(), {0, 1, 2}};
  const MessageLayout layout{32, {0}, 0};
  std::int32_t message[6] = {};
  copy(compile({&piece, 1}, {&shape, 1}, {{grids, 1, nullptr}, Side::here, {{}, 0, &layout}, Side::here}), nullptr,
       reinterpret_cast<std::byte*>(message));
  EXPECT_EQ(std::vector<std::int32_t>(message, message + 6), (std::vector<std::int32_t>{19, 1, 2, 3, 4, 10}));
}

}  // namespace
}  // namespace halyard::pack
