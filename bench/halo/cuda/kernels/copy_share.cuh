// copy_share: what one block does of a CopyList. Device code, included by the kernels that copy boxes.
#pragma once

#include "halo/cuda/copies.hpp"

namespace halyard::bench {

__device__ inline std::uint32_t divide(std::uint32_t n, const Divisor& divisor) {
  return (__umulhi(divisor.magic, n) + n) >> divisor.shift;
}

/// kUnits independent loads of this thread, then the stores.
template <class Unit, int kUnits>
__device__ inline void copy_tile(const DeviceBox& box, std::uint32_t first, std::uint32_t end, std::int64_t odd) {
  constexpr std::int64_t kDoubles = sizeof(Unit) / sizeof(double);
  const double* from = box.from + odd * box.from_slot;
  double* to = box.to + odd * box.to_slot;
  Unit values[kUnits];
  double* targets[kUnits];
#pragma unroll
  for (int k = 0; k < kUnits; ++k) {
    const std::uint32_t unit = first + threadIdx.x + static_cast<std::uint32_t>(k) * blockDim.x;
    if (unit >= end) continue;
    const std::uint32_t row = divide(unit, box.row);
    const std::uint32_t plane = divide(row, box.rows);
    const std::int64_t x = static_cast<std::int64_t>(unit - row * box.row.by) * kDoubles;
    const std::int64_t y = row - plane * box.rows.by;
    values[k] = *reinterpret_cast<const Unit*>(from + x + y * box.from_row + plane * box.from_plane);
    targets[k] = to + x + y * box.to_row + plane * box.to_plane;
  }
#pragma unroll
  for (int k = 0; k < kUnits; ++k)
    if (first + threadIdx.x + static_cast<std::uint32_t>(k) * blockDim.x < end)
      *reinterpret_cast<Unit*>(targets[k]) = values[k];
}

/// The tiles of block `block` of `num_blocks`. `odd`: 1 where the other slot is meant.
template <int kCellsPerThread, std::size_t kMost>
__device__ inline void copy_share(const BoxList<kMost>& list, std::uint32_t block, std::uint32_t num_blocks,
                                  std::int64_t odd) {
  constexpr int kPairs = kCellsPerThread > 1 ? kCellsPerThread / 2 : 1;
  for (std::uint32_t b = 0; b < list.num_boxes; ++b) {
    const DeviceBox& box = list.boxes[b];
    const std::uint32_t tile_units = box.is_pairs ? list.tile_cells / 2 : list.tile_cells;
    const std::uint32_t skew = box.first_tile % num_blocks;
    std::uint32_t tile = block >= skew ? block - skew : block + num_blocks - skew;
    for (; tile < box.num_tiles; tile += num_blocks) {
      const std::uint32_t first = tile * tile_units;
      const std::uint32_t end = min(first + tile_units, box.num_units);
      if (box.is_pairs)
        copy_tile<double2, kPairs>(box, first, end, odd);
      else
        copy_tile<double, kCellsPerThread>(box, first, end, odd);
    }
  }
}

}  // namespace halyard::bench
