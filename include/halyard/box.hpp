// Box and Width: integer geometry of grids of one, two or three dimensions.
//
// A box is half-open, [lo, hi) on every axis, in global cell coordinates. Axis 0 is x. A grid of fewer than three
// dimensions has extent 1, width 0 and no periodicity on the axes it does not use. Pure values; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace halyard {

using Index3 = std::array<std::int64_t, 3>;

/// Halo thickness in cells, below (`lo`) and above (`hi`) the owned box on each axis. May be 0.
struct Width {
  Index3 lo{0, 0, 0};
  Index3 hi{0, 0, 0};

  /// The same thickness on both sides of every axis.
  static constexpr Width all(std::int64_t w) { return {{w, w, w}, {w, w, w}}; }
  /// The same thickness on both sides of each axis.
  static constexpr Width axes(std::int64_t x, std::int64_t y, std::int64_t z) { return {{x, y, z}, {x, y, z}}; }

  /// The width that a neighbor must look back with: sides swapped.
  constexpr Width mirrored() const { return {hi, lo}; }

  friend constexpr bool operator==(const Width&, const Width&) = default;
};

/// Half-open box of cells.
struct Box {
  Index3 lo{0, 0, 0};
  Index3 hi{1, 1, 1};

  static constexpr Box of_extent(const Index3& extent) { return {{0, 0, 0}, extent}; }

  constexpr std::int64_t extent(std::size_t axis) const { return hi[axis] - lo[axis]; }
  constexpr Index3 extents() const { return {extent(0), extent(1), extent(2)}; }
  constexpr bool empty() const { return extent(0) <= 0 || extent(1) <= 0 || extent(2) <= 0; }
  constexpr std::int64_t num_cells() const { return empty() ? 0 : extent(0) * extent(1) * extent(2); }
  constexpr bool contains(const Box& other) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (other.lo[a] < lo[a] || other.hi[a] > hi[a]) return false;
    return true;
  }

  friend constexpr bool operator==(const Box&, const Box&) = default;
};

/// The cells that both boxes hold; empty() when there are none.
constexpr Box intersect(const Box& a, const Box& b) {
  Box both;
  for (std::size_t i = 0; i < 3; ++i) {
    both.lo[i] = std::max(a.lo[i], b.lo[i]);
    both.hi[i] = std::min(a.hi[i], b.hi[i]);
  }
  return both;
}

constexpr Box shifted(Box box, const Index3& by) {
  for (std::size_t i = 0; i < 3; ++i) {
    box.lo[i] += by[i];
    box.hi[i] += by[i];
  }
  return box;
}

constexpr Index3 negated(const Index3& v) { return {-v[0], -v[1], -v[2]}; }

/// The box together with its halo.
constexpr Box grown(Box box, const Width& by) {
  for (std::size_t i = 0; i < 3; ++i) {
    box.lo[i] -= by.lo[i];
    box.hi[i] += by.hi[i];
  }
  return box;
}

}  // namespace halyard
