// Points: the new value of one cell, for each stencil. u points at the cell; sy and sz are the
// distances, in doubles, to the next cell along y and z. Callable on a device. The order of
// additions is part of the result: do not change it.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "model/stencil.hpp"

namespace halyard::stencil {

template <int Radius>
struct StarPoint {
  static_assert(Radius >= 1 && Radius <= kMaxRadius);

  double center;
  double axis[kMaxRadius];

  explicit StarPoint(const Weights& weights) : center(weights.center) {
    for (std::size_t k = 0; k < weights.axis.size(); ++k) axis[k] = weights.axis[k];
  }

  KOKKOS_FORCEINLINE_FUNCTION double operator()(const double* u, std::int64_t sy, std::int64_t sz) const {
    double sum = center * u[0];
    for (int k = 1; k <= Radius; ++k)
      sum += axis[k - 1] * ((u[-k] + u[k]) + (u[-k * sy] + u[k * sy]) + (u[-k * sz] + u[k * sz]));
    return sum;
  }
};

struct BoxPoint {
  double center, face, edge, corner;

  explicit BoxPoint(const Weights& w) : center(w.center), face(w.axis[0]), edge(w.edge), corner(w.corner) {}

  /// A cell and its eight neighbors in the x-y plane, by their distance.
  struct Plane {
    double at0, at1, at2;
  };

  KOKKOS_FORCEINLINE_FUNCTION static Plane plane(const double* u, std::int64_t sy) {
    return {u[0], (u[-1] + u[1]) + (u[-sy] + u[sy]), (u[-sy - 1] + u[-sy + 1]) + (u[sy - 1] + u[sy + 1])};
  }

  KOKKOS_FORCEINLINE_FUNCTION double operator()(const double* u, std::int64_t sy, std::int64_t sz) const {
    const Plane below = plane(u - sz, sy);
    const Plane here = plane(u, sy);
    const Plane above = plane(u + sz, sy);
    const double faces = here.at1 + (below.at0 + above.at0);
    const double edges = here.at2 + (below.at1 + above.at1);
    return (center * here.at0 + face * faces) + (edge * edges + corner * (below.at2 + above.at2));
  }
};

}  // namespace halyard::stencil
