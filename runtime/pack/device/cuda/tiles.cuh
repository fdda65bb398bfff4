// Copies and reductions of one tile by one warp.
#pragma once

#include <type_traits>

#include "pack/device/cuda/words.cuh"
#include "pack/device/reduce_unit.hpp"

namespace halyard::pack::device {

// What must be known before a tile's data may move: loads of tables, and of what is sent, go ahead of it.
enum class Order { load_then_wait, wait_then_load };

// Units of runs that are shifted are numbers.
template <class Unit>
constexpr bool kIsNumber = std::is_same_v<Unit, double> || std::is_same_v<Unit, float>;

template <class Unit, Order kOrder, class Wait>
__device__ inline void copy_tile(const Run& run, const Tile& tile, unsigned lane, std::uint64_t odd, Wait& wait) {
  const std::uint64_t source_slot = odd * run.source_slot;
  const std::uint64_t target_slot = odd * run.target_slot;
  Unit units[kUnitsPerLane];
  std::uint64_t sources[kUnitsPerLane];
  std::uint64_t targets[kUnitsPerLane];
#pragma unroll
  for (unsigned k = 0; k < kUnitsPerLane; ++k) {
    const unsigned i = lane + k * kWarp;
    const UnitPlaces places = places_of(run, tile.first + (i < tile.num ? i : 0));
    sources[k] = places.source + source_slot;
    targets[k] = places.target + target_slot;
    if constexpr (kOrder == Order::load_then_wait) units[k] = *reinterpret_cast<const Unit*>(sources[k]);
  }
  if (!wait.is_over()) return;
  if constexpr (kOrder == Order::wait_then_load) {
#pragma unroll
    for (unsigned k = 0; k < kUnitsPerLane; ++k) units[k] = *reinterpret_cast<const Unit*>(sources[k]);
  }
#pragma unroll
  for (unsigned k = 0; k < kUnitsPerLane; ++k) {
    const unsigned i = lane + k * kWarp;
    if (i >= tile.num) continue;
    if constexpr (kIsNumber<Unit>) units[k] = shifted(run, tile.first + i, units[k]);
    *reinterpret_cast<Unit*>(targets[k]) = units[k];
  }
}

template <Order kOrder, class Wait>
__device__ inline void copy_tile_of_any_unit(const Run& run, const Tile& tile, unsigned lane, std::uint64_t odd,
                                             Wait& wait) {
  if (run.is_shifted) {
    if (run.unit_bytes == sizeof(float)) return copy_tile<float, kOrder>(run, tile, lane, odd, wait);
    return copy_tile<double, kOrder>(run, tile, lane, odd, wait);
  }
  switch (run.unit_bytes) {
    case 16:
      return copy_tile<uint4, kOrder>(run, tile, lane, odd, wait);
    case 8:
      return copy_tile<std::uint64_t, kOrder>(run, tile, lane, odd, wait);
    case 4:
      return copy_tile<std::uint32_t, kOrder>(run, tile, lane, odd, wait);
    case 2:
      return copy_tile<std::uint16_t, kOrder>(run, tile, lane, odd, wait);
    default:
      return copy_tile<std::uint8_t, kOrder>(run, tile, lane, odd, wait);
  }
}

__device__ inline void sum_chain(const Run& run, const UnitPlaces& places, std::uint64_t slot, Reduce op) {
  if ((run.chain[places.row] & kNotFirst) != 0) return;
  for (std::uint32_t row = places.row;;) {
    reduce_unit(run.scalar, op, reinterpret_cast<void*>(places.target),
                reinterpret_cast<const void*>(static_cast<std::uint64_t>(run.source_offsets[row]) +
                                              places.column_bytes + slot));
    const std::uint32_t next = run.chain[row] & ~kNotFirst;
    if (next == 0) return;
    row = next - 1;
  }
}

__device__ inline void reduce_tile(const Run& run, const Tile& tile, unsigned lane, std::uint64_t odd, Reduce op) {
  const std::uint64_t slot = odd * run.source_slot;
  for (unsigned i = lane; i < tile.num; i += kWarp) {
    const UnitPlaces places = places_of(run, tile.first + i);
    void* target = reinterpret_cast<void*>(places.target);
    if (run.shape == RunShape::chained) {
      sum_chain(run, places, slot, op);
      continue;
    }
    if (run.shape != RunShape::summed) {
      reduce_unit(run.scalar, op, target, reinterpret_cast<const void*>(places.source + slot));
      continue;
    }
    for (std::int64_t c = run.first_source[places.row]; c < run.first_source[places.row + 1]; ++c)
      reduce_unit(run.scalar, op, target,
                  reinterpret_cast<const void*>(static_cast<std::uint64_t>(run.source_offsets[c]) +
                                                places.column_bytes + slot));
  }
}

// A warp's wait for a chunk's word, done once, when its first tile needs it.
template <class AnyLaunch>
struct WarpWait {
  const AnyLaunch& a;
  const Chunk& chunk;
  FailureKind kind;
  std::uint64_t number;
  bool is_done = false;
  bool is_good = true;

  __device__ bool is_over() {
    if (is_done) return is_good;
    is_done = true;
    if (chunk.words == nullptr) return true;
    if (threadIdx.x % kWarp == 0) is_good = wait_for(a, chunk, chunk.wait, kind, number);
    is_good = __shfl_sync(~0U, is_good, 0);
    __syncwarp();  // orders what lane 0 acquired before the other lanes' loads
    return is_good;
  }
};

}  // namespace halyard::pack::device
