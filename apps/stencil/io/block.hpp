// Block: a rank's owned cells in host memory, as files read and write them. Never owns.
#pragma once

#include <cstdint>

#include "halyard/box.hpp"

namespace halyard::stencil {

/// Cell (x, y, z) of the block is first[x + stride_y * y + stride_z * z].
struct Block {
  double* first = nullptr;
  Index3 extent{0, 0, 0};
  std::int64_t stride_y = 0;
  std::int64_t stride_z = 0;

  double* at(const Index3& cell) const { return first + cell[0] + stride_y * cell[1] + stride_z * cell[2]; }
  /// Doubles from a cell to the next one along an axis.
  std::int64_t stride(std::size_t axis) const { return axis == 0 ? 1 : axis == 1 ? stride_y : stride_z; }
};

}  // namespace halyard::stencil
