// Partition: a ParticleDomain made ready for look-ups: cuts of each axis, parts by position, ranks by part.
//
// Parts of an axis are numbered from 0; on a periodic axis the numbers go on beyond both ends, so that part -1 is the
// last one a box length lower. All ranks compute the same cuts from the same numbers. Pure; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "halyard/particle_domain.hpp"

namespace halyard::particles {

/// Floor division: the image that part `part` of a periodic axis of `count` parts lies in, and its number there.
constexpr std::int64_t image_of(std::int64_t part, std::int64_t count) {
  return part >= 0 ? part / count : -((count - 1 - part) / count);
}
constexpr std::int64_t home_of(std::int64_t part, std::int64_t count) { return part - image_of(part, count) * count; }

class Partition {
 public:
  /// The domain must have been checked.
  explicit Partition(const ParticleDomain& domain);

  const ParticleDomain& domain() const { return domain_; }
  std::int64_t num_parts(std::size_t axis) const { return domain_.ranks[axis]; }
  double length(std::size_t axis) const { return domain_.box.hi[axis] - domain_.box.lo[axis]; }

  /// Where part `part` begins; any number on a periodic axis.
  double cut(std::size_t axis, std::int64_t part) const;
  /// The distance between part `part` and the one `steps` (not 0) parts away; 0 when they touch. Symmetric to the bit.
  double gap(std::size_t axis, std::int64_t part, std::int64_t steps) const;
  /// The part that owns a coordinate; beyond the ends that is the outermost one.
  std::int64_t part_of(std::size_t axis, double x) const;

  Index3 parts_of(int rank) const;
  int rank_of(const Index3& parts) const;  // by home numbers
  SpaceBox box_of(int rank) const;
  int owner_of(const Point3& position) const;

 private:
  ParticleDomain domain_;
  std::array<std::vector<double>, 3> cuts_;
  Point3 parts_per_length_{};
};

}  // namespace halyard::particles
