// compile for boxes: a field packed and unpacked through a message, or copied from field to field, cell by cell right.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/pack/naive.hpp"

namespace halyard::pack {
namespace {

using test::Draw;

struct Case {
  Index3 extent{};  // of both arrays
  Box here{};       // cells of the piece, counted from the first owned one
  Box there{};
  FieldShape shape;
  Index3 origin{};
  std::vector<std::byte> a;  // the memory of both arrays
  std::vector<std::byte> b;
  FieldView view_a;
  FieldView view_b;
  Piece piece;
};

FieldView random_view(Draw& draw, Case& c, std::vector<std::byte>& memory) {
  const auto array = test::random_array(draw, c.extent, static_cast<std::int64_t>(c.shape.element.bytes()));
  memory = draw.bytes(static_cast<std::size_t>(array.bytes));
  return {"x", memory.data() + array.first, c.shape.element, c.extent, array.stride, c.origin};
}

Case random_case(Draw& draw) {
  Case c;
  c.shape.element = ElementType::opaque(static_cast<std::uint32_t>(draw.between(1, 64)));
  draw.shuffle(c.shape.order);
  for (std::size_t a = 0; a < 3; ++a) {
    c.extent[a] = draw.between(1, 6);
    c.origin[a] = draw.between(0, c.extent[a] - 1);
    const std::int64_t cells = draw.between(1, c.extent[a]);
    c.here.lo[a] = draw.between(0, c.extent[a] - cells) - c.origin[a];
    c.here.hi[a] = c.here.lo[a] + cells;
    c.there.lo[a] = draw.between(0, c.extent[a] - cells) - c.origin[a];
    c.there.hi[a] = c.there.lo[a] + cells;
  }
  c.view_a = random_view(draw, c, c.a);
  c.view_b = random_view(draw, c, c.b);
  c.piece = {{0, c.here, {}}, {0, c.there, {}}, c.here.num_cells()};
  return c;
}

std::byte* cell_at(const FieldView& view, const Index3& cell) {
  auto* place = static_cast<std::byte*>(view.data);
  for (std::size_t a = 0; a < 3; ++a) place += (view.origin[a] + cell[a]) * view.stride_bytes[a];
  return place;
}

// Calls visit(cell of `here`, cell of `there`, number in the message) in the message's order of axes.
template <class Visit>
void for_each_cell(const Case& c, Visit visit) {
  const auto& order = c.shape.order;
  const Index3 n = c.here.extents();
  Index3 at{};
  std::int64_t number = 0;
  for (at[order[2]] = 0; at[order[2]] < n[order[2]]; ++at[order[2]])
    for (at[order[1]] = 0; at[order[1]] < n[order[1]]; ++at[order[1]])
      for (at[order[0]] = 0; at[order[0]] < n[order[0]]; ++at[order[0]]) {
        Index3 here{};
        Index3 there{};
        for (std::size_t a = 0; a < 3; ++a) {
          here[a] = c.here.lo[a] + at[a];
          there[a] = c.there.lo[a] + at[a];
        }
        visit(here, there, number++);
      }
}

End field_end(const std::vector<Grid>& grids) { return {grids, 1, nullptr}; }

TEST(CompileBoxes, PacksCellsInTheAxisOrderOfTheField) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Draw draw(seed);
    const Case c = random_case(draw);
    const auto bytes = c.shape.element.bytes();
    const MessageLayout layout{0, {32}, 0};
    const std::vector<Grid> grids{grid_of(c.view_a)};
    const Program program =
        compile({&c.piece, 1}, {&c.shape, 1}, {field_end(grids), Side::here, {{}, 0, &layout}, Side::here});
    EXPECT_EQ(program.num_bytes(), c.piece.num_cells * static_cast<std::int64_t>(bytes));
    auto message = draw.bytes(32 + static_cast<std::size_t>(c.piece.num_cells) * bytes + 5);
    auto expected = message;
    for_each_cell(c, [&](const Index3& here, const Index3&, std::int64_t number) {
      std::copy_n(cell_at(c.view_a, here), bytes, expected.data() + 32 + static_cast<std::size_t>(number) * bytes);
    });
    copy(program, nullptr, message.data());
    ASSERT_EQ(message, expected) << "seed " << seed;
  }
}

TEST(CompileBoxes, UnpacksWhatWasPackedIntoTheOtherField) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Draw draw(seed);
    Case c = random_case(draw);
    const auto bytes = c.shape.element.bytes();
    const MessageLayout layout{0, {0}, 0};
    const std::vector<Grid> from{grid_of(c.view_a)};
    const std::vector<Grid> to{grid_of(c.view_b)};
    std::vector<std::byte> message(static_cast<std::size_t>(c.piece.num_cells) * bytes);
    const End in_message{{}, 0, &layout};
    copy(compile({&c.piece, 1}, {&c.shape, 1}, {field_end(from), Side::here, in_message, Side::here}), nullptr,
         message.data());
    copy(compile({&c.piece, 1}, {&c.shape, 1}, {in_message, Side::here, field_end(to), Side::there}), message.data(),
         nullptr);
    for_each_cell(c, [&](const Index3& here, const Index3& there, std::int64_t) {
      ASSERT_TRUE(std::equal(cell_at(c.view_b, there), cell_at(c.view_b, there) + bytes, cell_at(c.view_a, here)))
          << "seed " << seed;
    });
  }
}

TEST(CompileBoxes, CopiesFromFieldToFieldWithoutTouchingAnythingElse) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Draw draw(seed);
    Case c = random_case(draw);
    const auto bytes = c.shape.element.bytes();
    const std::vector<Grid> from{grid_of(c.view_a)};
    const std::vector<Grid> to{grid_of(c.view_b)};
    const auto before = c.b;
    for_each_cell(c, [&](const Index3& here, const Index3& there, std::int64_t) {
      std::copy_n(cell_at(c.view_a, here), bytes, cell_at(c.view_b, there));
    });
    const auto expected = c.b;
    std::copy(before.begin(), before.end(), c.b.begin());
    copy(compile({&c.piece, 1}, {&c.shape, 1}, {field_end(from), Side::here, field_end(to), Side::there}), nullptr,
         nullptr);
    ASSERT_EQ(c.b, expected) << "seed " << seed;
  }
}

TEST(CompileBoxes, TakesEachFieldAndPatchFromItsOwnGrid) {
  std::vector<std::int64_t> memory(8);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::int64_t>(i);
  std::vector<Grid> grids;  // field * 2 + patch, two elements each
  for (std::size_t g = 0; g < 4; ++g) grids.push_back({place_of(&memory[2 * g]), {8, 16, 16}});
  const std::vector<FieldShape> fields(2, FieldShape{"x", ElementType::of<std::int64_t>(), {0, 1, 2}});
  const std::vector<Piece> pieces{{{1, Box{{1, 0, 0}, {2, 1, 1}}, {}}, {}, 1},
                                  {{0, Box{{0, 0, 0}, {1, 1, 1}}, {}}, {}, 1}};
  const MessageLayout layout{64, {0, 16, 32, 48}, 0};
  std::int64_t message[8] = {};
  copy(compile(pieces, fields, {{grids, 2, nullptr}, Side::here, {{}, 0, &layout}, Side::here}), nullptr,
       reinterpret_cast<std::byte*>(message));
  EXPECT_EQ(message[0], 3) << "field 0, patch 1, element 1";
  EXPECT_EQ(message[2], 0) << "field 0, patch 0, element 0";
  EXPECT_EQ(message[4], 7) << "field 1, patch 1, element 1";
  EXPECT_EQ(message[6], 4) << "field 1, patch 0, element 0";
}

// All pieces of a halo in one program, whatever compile makes of their blocks: the cells of each section are in place.
TEST(CompileBoxes, PacksSeveralPiecesEachIntoItsSection) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Draw draw(seed);
    Case c = random_case(draw);
    c.extent = {draw.between(2, 9), draw.between(2, 9), draw.between(1, 3)};
    c.origin = {0, 0, 0};
    c.view_a = random_view(draw, c, c.a);
    const auto bytes = c.shape.element.bytes();
    std::vector<Piece> pieces;
    MessageLayout layout;
    for (std::size_t axis = 0; axis < 3; ++axis)  // the faces across each axis, lower and upper, overlap at corners
      for (const std::int64_t at : {std::int64_t{0}, c.extent[axis] - 1}) {
        Box face = Box::of_extent(c.extent);
        face.lo[axis] = at;
        face.hi[axis] = at + 1;
        pieces.push_back({{0, face, {}}, {0, face, {}}, face.num_cells()});
        layout.offsets.push_back(layout.bytes);
        layout.bytes += face.num_cells() * static_cast<std::int64_t>(bytes) + 3;
      }
    const std::vector<Grid> grids{grid_of(c.view_a)};
    std::vector<std::byte> message(static_cast<std::size_t>(layout.bytes));
    auto expected = message;
    copy(compile(pieces, {&c.shape, 1}, {field_end(grids), Side::here, {{}, 0, &layout}, Side::here}), nullptr,
         message.data());
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      c.here = c.there = pieces[p].here.cells;
      for_each_cell(c, [&](const Index3& here, const Index3&, std::int64_t number) {
        std::copy_n(cell_at(c.view_a, here), bytes,
                    expected.data() + layout.offsets[p] + number * static_cast<std::int64_t>(bytes));
      });
    }
    ASSERT_EQ(message, expected) << "seed " << seed;
  }
}

TEST(CompileBoxes, MakesOneRowOfAWholeContiguousPiece) {
  std::vector<double> memory(6 * 6 * 6);
  const FieldView view = FieldView::grid(memory.data(), {6, 6, 6}, Width{});
  const std::vector<Grid> grids{grid_of(view)};
  const Piece slab{{0, Box{{0, 0, 2}, {6, 6, 4}}, {}}, {}, 72};
  const FieldShape shape = view.shape();
  const MessageLayout layout{576, {0}, 0};
  const Program program =
      compile({&slab, 1}, {&shape, 1}, {field_end(grids), Side::here, {{}, 0, &layout}, Side::here});
  ASSERT_EQ(program.blocks.size(), 1U);
  EXPECT_EQ(program.blocks[0].row_bytes, 576);
}

TEST(GridOf, PointsAtTheFirstOwnedCell) {
  std::vector<float> memory(5 * 7);
  const FieldView view = FieldView::grid(memory.data(), {3, 5, 1}, Width::axes(1, 1, 0));
  EXPECT_EQ(grid_of(view).first_owned, place_of(&memory[6]));
  EXPECT_EQ(grid_of(view).stride_bytes, view.stride_bytes);
}

}  // namespace
}  // namespace halyard::pack
