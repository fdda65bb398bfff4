// BoxCopy: one strided box of doubles copied to another place. The one copy routine of all peers
// written by hand.
//
// Packing, unpacking, copies between ranks and own-rank halos are all lists of BoxCopy made at
// set-up; copy_boxes runs them. Halyard's own copies are not used here. Data path: copy_boxes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halyard/box.hpp"

namespace halyard::bench {

/// A box inside an array, or a packed buffer: the first cell, and the way to the next row and
/// plane, in doubles.
struct Strided {
  double* first = nullptr;
  std::int64_t row = 0;
  std::int64_t plane = 0;
};

struct BoxCopy {
  using Kernel = void (*)(const BoxCopy&);

  const double* from = nullptr;
  double* to = nullptr;
  std::int64_t from_row = 0;
  std::int64_t from_plane = 0;
  std::int64_t to_row = 0;
  std::int64_t to_plane = 0;
  Index3 extent{0, 0, 0};
  Kernel kernel = nullptr;
};

/// `box` of a dense array of these extents.
Strided box_of(double* array, const Index3& extents, const Box& box);
/// The same box without gaps.
Strided packed(double* buffer, const Box& box);

/// Rows that follow each other without a gap at both ends are merged, and the loop is chosen.
BoxCopy make_copy(const Strided& from, const Strided& to, const Index3& extent);

inline void copy_boxes(std::span<const BoxCopy> copies) {  // data path
  for (const BoxCopy& copy : copies) copy.kernel(copy);
}

}  // namespace halyard::bench
