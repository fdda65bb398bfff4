// ParticleDomain: the box that particles live in, and which rank owns which part of it.
//
// Ownership is by half-open box, [lo, hi) on every axis: a particle on a cut belongs to the rank above it. Positions
// may be float or double; comparisons are made in double, which holds both exactly, so that every particle has one
// owner. The outermost boxes of an axis that is not periodic reach to infinity: nobody is lost at an open end. Pure
// data that all ranks hold alike. Any thread.
#pragma once

#include <array>
#include <vector>

#include "halyard/box.hpp"
#include "halyard/export.hpp"

namespace halyard {

using Point3 = std::array<double, 3>;

/// Half-open box of space, [lo, hi) on every axis.
struct SpaceBox {
  Point3 lo{0, 0, 0};
  Point3 hi{1, 1, 1};

  bool holds(const Point3& p) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (!(lo[a] <= p[a] && p[a] < hi[a])) return false;
    return true;
  }

  friend bool operator==(const SpaceBox&, const SpaceBox&) = default;
};

struct HALYARD_API ParticleDomain {
  SpaceBox box;
  std::array<bool, 3> periodic{true, true, true};
  Index3 ranks{1, 1, 1};  // rank = x + X * (y + Y * z)
  /// Where the parts of an axis begin and end: ranks[axis] + 1 numbers that ascend from box.lo to box.hi; neighbors may
  /// be equal (an empty part). An axis without any is cut evenly.
  std::array<std::vector<double>, 3> cuts;

  /// The process grid whose parts are closest to cubes.
  static ParticleDomain balanced(const SpaceBox& box, const std::array<bool, 3>& periodic, int num_ranks);

  int num_ranks() const { return static_cast<int>(ranks[0] * ranks[1] * ranks[2]); }
  /// What rank `rank` owns, without the reach to infinity at open ends.
  SpaceBox box_of(int rank) const;
  /// The rank that owns a position; on periodic axes it must be wrapped. Position must be finite.
  int owner_of(const Point3& position) const;

  /// Throws Error(invalid_argument) for an empty or infinite box, a grid of other than `num_ranks` ranks, or bad cuts.
  void check(int num_ranks) const;
};

/// The image of `x` in [lo, hi): lo <= result < hi holds in T's own arithmetic, for every finite x, however far. What
/// is next to an end stays at that side: -1e-8f in [0, 10) becomes the last float below 10. `crossings`, when given,
/// gets how many box lengths were taken off. x in range comes back as it is, bit for bit.
template <class T>
T wrapped(T x, double lo, double hi, double* crossings = nullptr);
extern template HALYARD_API float wrapped(float, double, double, double*);
extern template HALYARD_API double wrapped(double, double, double, double*);

}  // namespace halyard
