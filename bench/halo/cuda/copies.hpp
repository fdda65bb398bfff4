// CopyList: boxes copied on the GPU in one launch. The one copy routine of all GPU peers written by hand.
//
// Each box is cut into tiles, tiles go to blocks in turn, and every thread has several loads in flight. Cells
// move as 16 bytes where both sides are aligned for it. The list is a kernel argument: plain data, no pointer
// to a table. Halyard's own kernels are not used here. Made on the host at set-up.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halo/copy_boxes.hpp"

namespace halyard::bench {

inline constexpr std::size_t kMostBoxes = 26;

/// Division of n < 2^31 by a number that is known at set-up.
struct Divisor {
  std::uint32_t by = 1;
  std::uint32_t magic = 1;
  std::uint32_t shift = 0;
};

/// One box in units of 8 or 16 bytes. Slots: what a pointer moves on when the sequence number is odd.
struct DeviceBox {
  const double* from = nullptr;
  double* to = nullptr;
  std::int64_t from_row = 0;  // doubles to the next row, plane
  std::int64_t from_plane = 0;
  std::int64_t to_row = 0;
  std::int64_t to_plane = 0;
  std::int64_t from_slot = 0;
  std::int64_t to_slot = 0;
  Divisor row;   // units of a row
  Divisor rows;  // rows of a plane
  std::uint32_t num_units = 0;
  std::uint32_t num_tiles = 0;
  std::uint32_t first_tile = 0;  // of its message: both ends give the same tile to the same block
  bool is_pairs = false;         // units of 16 bytes
};

template <std::size_t kMost>
struct BoxList {
  DeviceBox boxes[kMost];
  std::uint32_t num_boxes = 0;
  std::uint32_t num_tiles = 0;
  std::uint32_t tile_cells = 0;
};
using CopyList = BoxList<kMostBoxes>;
using FaceList = BoxList<2>;  // both faces of an axis: a launch carries its arguments, so fewer are faster

inline bool fits_faces(const CopyList& list) { return list.num_boxes <= 2; }

inline FaceList faces_of(const CopyList& list) {
  return {{list.boxes[0], list.boxes[1]}, list.num_boxes, list.num_tiles, list.tile_cells};
}

/// How the tiles of a case are cut. The same for all lists of a case and on all ranks.
struct Tiling {
  std::uint32_t num_threads = 256;
  std::uint32_t cells_per_thread = 1;  // 1, 2, 4 or 8

  std::uint32_t tile_cells() const { return num_threads * cells_per_thread; }
};

/// As many cells per thread as still leave `wanted` tiles.
Tiling choose_tiling(std::int64_t num_cells, std::uint32_t num_threads, std::uint32_t wanted);

struct Slots {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// Appends the boxes of one message. Throws std::length_error beyond kMostBoxes.
void append_message(CopyList& list, const std::vector<BoxCopy>& copies, const Tiling& tiling, Slots slots = {});

/// One launch for the whole list. Data path.
void launch_copies(const CopyList& list, const Tiling& tiling, cudaStream_t stream);

/// One box with one thread a cell and nothing clever: how fields are filled and checked. `cells` long buffer.
void launch_plain_copy(const Strided& from, const Strided& to, const Index3& extent, cudaStream_t stream);

}  // namespace halyard::bench
