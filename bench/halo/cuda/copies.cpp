// Copy lists made on the host; see copies.hpp.
#include "halo/cuda/copies.hpp"

#include <limits>
#include <stdexcept>

namespace halyard::bench {
namespace {

constexpr std::int64_t kPair = 2;  // doubles in 16 bytes

/// q = (mulhi(n, magic) + n) >> shift, exact for n < 2^31 (Granlund and Montgomery, PLDI 1994).
Divisor make_divisor(std::int64_t by) {
  Divisor divisor{static_cast<std::uint32_t>(by), 0, 0};
  while ((std::uint64_t{1} << divisor.shift) < divisor.by) ++divisor.shift;
  const std::uint64_t power = std::uint64_t{1} << divisor.shift;
  divisor.magic = static_cast<std::uint32_t>(((std::uint64_t{1} << 32) * (power - divisor.by)) / divisor.by + 1);
  return divisor;
}

bool is_pair_aligned(const double* first, std::int64_t row, std::int64_t plane) {
  return reinterpret_cast<std::uintptr_t>(first) % (kPair * sizeof(double)) == 0 && row % kPair == 0 &&
         plane % kPair == 0;
}

/// A stride that is never taken does not spoil alignment.
bool can_be_pairs(const BoxCopy& copy, const Slots& slots) {
  const bool has_rows = copy.extent[1] * copy.extent[2] > 1;
  const bool has_planes = copy.extent[2] > 1;
  const auto aligned = [&](const double* first, std::int64_t row, std::int64_t plane) {
    return is_pair_aligned(first, has_rows ? row : 0, has_planes ? plane : 0);
  };
  return copy.extent[0] % kPair == 0 && slots.from % kPair == 0 && slots.to % kPair == 0 &&
         aligned(copy.from, copy.from_row, copy.from_plane) && aligned(copy.to, copy.to_row, copy.to_plane);
}

DeviceBox make_box(const BoxCopy& copy, const Tiling& tiling, const Slots& slots) {
  const bool is_pairs = can_be_pairs(copy, slots);
  const std::int64_t per_unit = is_pairs ? kPair : 1;
  const std::int64_t cells = copy.extent[0] * copy.extent[1] * copy.extent[2];
  if (cells > std::numeric_limits<std::int32_t>::max()) throw std::length_error("a box of more than 2^31 cells");
  DeviceBox box;
  box.from = copy.from;
  box.to = copy.to;
  box.from_row = copy.from_row;
  box.from_plane = copy.from_plane;
  box.to_row = copy.to_row;
  box.to_plane = copy.to_plane;
  box.from_slot = slots.from;
  box.to_slot = slots.to;
  box.row = make_divisor(copy.extent[0] / per_unit);
  box.rows = make_divisor(copy.extent[1]);
  box.num_units = static_cast<std::uint32_t>(cells / per_unit);
  box.num_tiles = (static_cast<std::uint32_t>(cells) + tiling.tile_cells() - 1) / tiling.tile_cells();
  box.is_pairs = is_pairs;
  return box;
}

}  // namespace

Tiling choose_tiling(std::int64_t num_cells, std::uint32_t num_threads, std::uint32_t wanted) {
  Tiling tiling{num_threads, 8};
  while (tiling.cells_per_thread > 1 && num_cells / tiling.tile_cells() < wanted) tiling.cells_per_thread /= 2;
  return tiling;
}

void append_message(CopyList& list, const std::vector<BoxCopy>& copies, const Tiling& tiling, Slots slots) {
  std::uint32_t first_tile = 0;
  list.tile_cells = tiling.tile_cells();
  for (const BoxCopy& copy : copies) {
    if (list.num_boxes == kMostBoxes) throw std::length_error("more boxes than a copy list holds");
    DeviceBox& box = list.boxes[list.num_boxes++];
    box = make_box(copy, tiling, slots);
    box.first_tile = first_tile;
    first_tile += box.num_tiles;
    list.num_tiles += box.num_tiles;
  }
}

}  // namespace halyard::bench
