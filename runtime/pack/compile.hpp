// compile: from pieces of a plan to a Program. Set-up; pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halyard/field.hpp"
#include "halyard/pattern.hpp"
#include "halyard/plan.hpp"
#include "pack/program.hpp"

namespace halyard::pack {

/// One field of one patch at one end, in this process's addresses: where its first owned cell (element 0) lies and how
/// far it is to the next one.
struct Grid {
  Place first_owned = 0;
  Index3 stride_bytes{0, 0, 0};
};

Grid grid_of(const FieldView& view);

/// One end of a transfer: fields (grids[field * num_patches + patch]), or, without grids, a message of this layout.
struct End {
  std::span<const Grid> grids;
  std::size_t num_patches = 0;
  const MessageLayout* layout = nullptr;
};

/// Which end of a Piece is meant by a field end.
enum class Side { here, there };

/// A whole message worth of copies from `source` to `target`. `source_side` and `target_side` say which end of each
/// piece lies there (messages ignore it).
struct Route {
  End source;
  Side source_side = Side::here;
  End target;
  Side target_side = Side::here;
};

Program compile(std::span<const Piece> pieces, std::span<const FieldShape> fields, const Route& route);

/// Which ends of a copy are fields, whose strides decide the order of loops; messages are sequential.
enum class Strided { source, target, both };

/// How far a step goes where it costs: in fields. A message is written and read in few sequential streams anyway.
std::int64_t cost_of(std::int64_t source_stride, std::int64_t target_stride, Strided strided);

/// The numbers of the blocks of each shape, in ascending order.
std::vector<std::vector<std::size_t>> grouped_by_shape(const std::vector<Block>& blocks);

/// Folds what is contiguous at both ends into rows, drops axes of one, joins axes that continue each other, and puts
/// the shortest strides innermost.
Block normalized(Block block, Strided strided = Strided::both);

/// Joins blocks of the same shape that lie within one row of each other: the two faces across the fastest axis. Their
/// cells share cache lines and pages (the last owned cell with the ghost above it, the first with the one below), so
/// that one pass over the rows touches each once instead of twice. Near-linear in the number of blocks.
void fuse(std::vector<Block>& blocks, Strided strided);

/// Strided blocks that hold these element pairs in this order; falls back to a List when blocks would be short.
/// Offsets are in bytes from the places in `like`, whose row_bytes is the element size.
void append_pairs(const Block& like, std::span<const std::int64_t> source_offsets,
                  std::span<const std::int64_t> target_offsets, Program& program, Strided strided = Strided::both);

}  // namespace halyard::pack
