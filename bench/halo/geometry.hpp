// BenchCase and Geometry: what one rank exchanges in one case of the halo bench, as boxes of its
// own array.
//
// Every rank owns cells^3 cells of a periodic grid, x fastest, and keeps `width` ghost cells on all
// sides, or on both sides of one axis only. Boxes count cells of the array, ghosts included, from 0. Pure values, made
// once per case by run.cpp; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "halyard/box.hpp"

namespace halyard::bench {

inline constexpr int kAllAxes = -1;

struct BenchCase {
  std::int64_t cells = 64;
  std::int64_t width = 1;
  int fields = 1;
  int axis = kAllAxes;  // 0, 1, 2: ghosts across the two faces of this axis only
};

inline constexpr int kNumDirections = 27;  // with the middle, which is no neighbor

/// One of the 26 directions: the ghosts on that side and their owner, and the border that the same
/// rank needs from us. What rank A sends in direction d is what the rank there receives in
/// direction opposite(d).
struct Halo {
  int direction = 0;  // 0 … 26, x fastest; 13 is the middle
  int rank = 0;       // owner of these ghosts and receiver of this border
  Box border;
  Box ghosts;
};

constexpr int opposite(int direction) { return kNumDirections - 1 - direction; }

struct Geometry {
  BenchCase bench_case;
  Index3 ranks{1, 1, 1};
  int rank = 0;
  std::vector<Halo> halos;  // ascending by direction: 26, or the two of the axis

  Index3 widths() const;
  Index3 extents() const;
  std::int64_t array_cells() const;
  Index3 coordinates() const;
  /// The halo in a direction of `halos`.
  const Halo& halo(int direction) const;
  /// Bytes of all ghosts of all fields: what one exchange brings to this rank.
  std::int64_t bytes() const;
};

Geometry make_geometry(const BenchCase& bench_case, const Index3& ranks, int rank);

/// All that moves between this rank and one other, both lists in the order of the message.
struct Peer {
  int rank = 0;
  std::vector<Halo> sends;     // ascending direction of the sender
  std::vector<Halo> receives;  // the same boxes as the peer's sends, seen from here

  std::int64_t send_cells() const;
  std::int64_t receive_cells() const;
};

/// Every other rank that this one exchanges with, ascending.
std::vector<Peer> peers_of(const Geometry& geometry);

}  // namespace halyard::bench
