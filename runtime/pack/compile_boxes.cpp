// compile for boxes, and the choice between boxes and lists, see compile.hpp.
#include "pack/compile.hpp"

namespace halyard::pack {
namespace {

const PieceEnd& end_of(const Piece& piece, Side side) { return side == Side::here ? piece.here : piece.there; }

struct Section {
  const Piece& piece;
  std::size_t piece_number;
  std::size_t num_pieces;
  const FieldShape& field;
  std::size_t field_number;
};

Place message_place(const MessageLayout& layout, const Section& s) {
  return static_cast<Place>(layout.offsets[s.field_number * s.num_pieces + s.piece_number]);
}

const Grid& grid_at(const End& end, Side side, const Section& s) {
  return end.grids[s.field_number * end.num_patches + static_cast<std::size_t>(end_of(s.piece, side).patch)];
}

// Where the first cell of a box piece lies at one end, and its strides there.
struct Ramp {
  Place first = 0;
  Index3 stride{0, 0, 0};
};

Ramp box_ramp(const End& end, Side side, const Section& s) {
  const Box& cells = end_of(s.piece, side).cells;
  Ramp ramp;
  if (end.layout != nullptr) {
    ramp.first = message_place(*end.layout, s);
    auto step = static_cast<std::int64_t>(s.field.element.bytes());
    for (const auto axis : s.field.order) {
      ramp.stride[axis] = step;
      step *= cells.extent(axis);
    }
    return ramp;
  }
  const Grid& grid = grid_at(end, side, s);
  ramp.first = grid.first_owned;
  for (std::size_t a = 0; a < 3; ++a) ramp.first = moved(ramp.first, cells.lo[a] * grid.stride_bytes[a]);
  ramp.stride = grid.stride_bytes;
  return ramp;
}

Strided strided_of(const Route& route) {
  if (route.source.layout != nullptr) return Strided::target;
  return route.target.layout != nullptr ? Strided::source : Strided::both;
}

Block box_block(const Route& route, const Section& s) {
  const Ramp source = box_ramp(route.source, route.source_side, s);
  const Ramp target = box_ramp(route.target, route.target_side, s);
  Block block;
  block.source = source.first;
  block.target = target.first;
  block.row_bytes = static_cast<std::int64_t>(s.field.element.bytes());
  block.count = s.piece.here.cells.extents();
  block.source_stride = source.stride;
  block.target_stride = target.stride;
  block.scalar = s.field.element.scalar;
  return normalized(block, strided_of(route));
}

std::vector<std::int64_t> list_offsets(const End& end, Side side, const Section& s) {
  const auto element = static_cast<std::int64_t>(s.field.element.bytes());
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(s.piece.num_cells));
  const auto& elements = end_of(s.piece, side).elements;
  const std::int64_t stride = end.layout != nullptr ? element : grid_at(end, side, s).stride_bytes[0];
  for (std::size_t i = 0; i < offsets.size(); ++i)
    offsets[i] = (end.layout != nullptr ? static_cast<std::int64_t>(i) : elements[i]) * stride;
  return offsets;
}

Place list_place(const End& end, Side side, const Section& s) {
  return end.layout != nullptr ? message_place(*end.layout, s) : grid_at(end, side, s).first_owned;
}

void append_list(const Route& route, const Section& s, Program& program) {
  Block like;
  like.source = list_place(route.source, route.source_side, s);
  like.target = list_place(route.target, route.target_side, s);
  like.row_bytes = static_cast<std::int64_t>(s.field.element.bytes());
  like.scalar = s.field.element.scalar;
  append_pairs(like, list_offsets(route.source, route.source_side, s), list_offsets(route.target, route.target_side, s),
               program, strided_of(route));
}

// Faces of many short rows touch more lines than the caches next to the core hold; below that a prefetch only costs.
constexpr std::int64_t kRowsWorthPrefetching = 4096;
constexpr std::int64_t kLongestShortRow = 64;

std::int64_t num_short_rows(const Program& program) {
  std::int64_t rows = 0;
  for (const Block& block : program.blocks)
    if (block.row_bytes <= kLongestShortRow) rows += block.count[0] * block.count[1] * block.count[2];
  return rows;
}

}  // namespace

Grid grid_of(const FieldView& view) {
  Grid grid{place_of(view.data), view.stride_bytes};
  for (std::size_t a = 0; a < 3; ++a) grid.first_owned = moved(grid.first_owned, view.origin[a] * view.stride_bytes[a]);
  return grid;
}

Program compile(std::span<const Piece> pieces, std::span<const FieldShape> fields, const Route& route) {
  Program program;
  for (std::size_t f = 0; f < fields.size(); ++f)
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const Section section{pieces[p], p, pieces.size(), fields[f], f};
      if (pieces[p].here.elements.empty())
        program.blocks.push_back(box_block(route, section));
      else
        append_list(route, section, program);
    }
  fuse(program.blocks, strided_of(route));
  program.prefetches = num_short_rows(program) > kRowsWorthPrefetching;
  return program;
}

}  // namespace halyard::pack
