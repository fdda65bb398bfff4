// CellGrid: cells over a part of the box and the ghosts around it, at least half the reach wide; x varies fastest.
//
// The cell of a position never falls when a coordinate grows, so atoms between two positions of an axis lie in the
// cells between those of the positions, rounding or not. Positions outside count to the outermost cells.
#pragma once

#include <Kokkos_Core.hpp>

#include "halyard/particle_domain.hpp"

namespace halyard::md {

struct CellGrid {
  double lo[3] = {0, 0, 0};
  double edge[3] = {1, 1, 1};
  double inverse[3] = {1, 1, 1};  // of edge
  int count[3] = {1, 1, 1};

  /// `part` and `reach` around it.
  static CellGrid around(const SpaceBox& part, double reach);

  int num_cells() const { return count[0] * count[1] * count[2]; }

  KOKKOS_INLINE_FUNCTION int on_axis(int axis, double x) const {
    const double at = (x - lo[axis]) * inverse[axis];
    const double last = count[axis] - 1;
    return static_cast<int>(at > 0 ? (at < last ? at : last) : 0);
  }
  KOKKOS_INLINE_FUNCTION int index(int ix, int iy, int iz) const { return (iz * count[1] + iy) * count[0] + ix; }
  KOKKOS_INLINE_FUNCTION int index_of(double x, double y, double z) const {
    return index(on_axis(0, x), on_axis(1, y), on_axis(2, z));
  }
  /// How far a coordinate is from the cells numbered `cell` of its axis.
  KOKKOS_INLINE_FUNCTION double distance(int axis, double x, int cell) const {
    const double below = lo[axis] + cell * edge[axis] - x;
    const double above = -below - edge[axis];
    const double most = below > above ? below : above;
    return most > 0 ? most : 0;
  }
};

}  // namespace halyard::md
