// Neighborhood: of a rank in the process grid, the 26 directions in which its particles become ghosts: whose they are
// there, by what they are shifted, and which of them a position asks for. For the peers, which know nothing of
// Halyard's code; parts reach one step far, as in most codes. Owns nothing.
#pragma once

#include <array>

#include "particles/system.hpp"

namespace halyard::bench {

class Neighborhood {
 public:
  static constexpr std::size_t kDirections = 27;
  static constexpr std::size_t kHere = 13;  // no step: not a direction

  Neighborhood(const System& system, int rank) : domain_(system.domain), own_(domain_.box_of(rank)), rank_(rank) {
    for (std::size_t d = 0; d < kDirections; ++d) find(d);
    for (std::size_t a = 0; a < 3; ++a) {
      inner_lo_[a] = own_.lo[a] + system.reach;
      inner_hi_[a] = own_.hi[a] - system.reach;
    }
  }

  int rank_of(std::size_t d) const { return ranks_[d]; }
  const Point3& shift(std::size_t d) const { return shifts_[d]; }
  /// The number of that shift, which all ranks know it by.
  std::size_t image(std::size_t d) const { return images_[d]; }
  /// All shifts there are, by their numbers.
  std::array<Point3, kDirections> shifts_by_image() const {
    std::array<Point3, kDirections> shifts{};
    for (std::size_t d = 0; d < kDirections; ++d) {
      const Index3 lengths = step_of(d);
      for (std::size_t a = 0; a < 3; ++a) shifts[d][a] = static_cast<double>(lengths[a]) * length(a);
    }
    return shifts;
  }

  bool is_home(const double* x) const {
    return (x[0] >= own_.lo[0]) & (x[0] < own_.hi[0]) & (x[1] >= own_.lo[1]) & (x[1] < own_.hi[1]) &
           (x[2] >= own_.lo[2]) & (x[2] < own_.hi[2]);
  }

  /// Moves `x` into the box, which it left by less than a length; answers whose it is.
  int wrap(double* x) const {
    Index3 to{};
    for (std::size_t a = 0; a < 3; ++a) {
      if (x[a] < domain_.box.lo[a]) x[a] += length(a);
      if (x[a] >= domain_.box.hi[a]) x[a] -= length(a);
      const double share = (x[a] - domain_.box.lo[a]) / length(a);
      to[a] = static_cast<std::int64_t>(share * static_cast<double>(domain_.ranks[a]));
    }
    return number_of(to);
  }

  /// Calls `visit` with each direction in which a particle at `x` becomes a ghost.
  template <class Visit>
  void for_each_direction(const double* x, Visit visit) const {
    const bool is_inner = (x[0] > inner_lo_[0]) & (x[0] < inner_hi_[0]) & (x[1] > inner_lo_[1]) &
                          (x[1] < inner_hi_[1]) & (x[2] > inner_lo_[2]) & (x[2] < inner_hi_[2]);
    if (is_inner) return;
    std::array<std::array<bool, 3>, 3> near{};
    for (std::size_t a = 0; a < 3; ++a) near[a] = {x[a] <= inner_lo_[a], true, x[a] >= inner_hi_[a]};
    for (std::size_t z = 0; z < 3; ++z)
      for (std::size_t y = 0; y < 3; ++y)
        for (std::size_t w = 0; w < 3 && near[2][z] && near[1][y]; ++w)
          if (near[0][w] && (w != 1 || y != 1 || z != 1)) visit(w + 3 * y + 9 * z);
  }

 private:
  static Index3 step_of(std::size_t d) {
    const auto n = static_cast<std::int64_t>(d);
    return {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
  }

  double length(std::size_t axis) const { return domain_.box.hi[axis] - domain_.box.lo[axis]; }

  void find(std::size_t d) {
    const Index3 step = step_of(d);
    const Index3 part{rank_ % domain_.ranks[0], rank_ / domain_.ranks[0] % domain_.ranks[1],
                      rank_ / (domain_.ranks[0] * domain_.ranks[1])};
    Index3 to{};
    std::int64_t image = 0;
    for (std::size_t a = 3; a-- > 0;) {
      to[a] = part[a] + step[a];
      const std::int64_t lengths = to[a] < 0 ? 1 : to[a] >= domain_.ranks[a] ? -1 : 0;
      shifts_[d][a] = static_cast<double>(lengths) * length(a);
      image = 3 * image + lengths + 1;
      to[a] += lengths * domain_.ranks[a];
    }
    ranks_[d] = number_of(to);
    images_[d] = static_cast<std::size_t>(image);
  }

  int number_of(const Index3& part) const {
    return static_cast<int>(part[0] + domain_.ranks[0] * (part[1] + domain_.ranks[1] * part[2]));
  }

  ParticleDomain domain_;
  SpaceBox own_;
  int rank_;
  Point3 inner_lo_{};
  Point3 inner_hi_{};
  std::array<int, kDirections> ranks_{};
  std::array<Point3, kDirections> shifts_{};
  std::array<std::size_t, kDirections> images_{};
};

}  // namespace halyard::bench
