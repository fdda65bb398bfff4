// Neighborhood: which ranks lie within a reach of a rank's box, under which periodic images. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "particles/partition.hpp"

namespace halyard::particles {

/// One part within reach, `steps` parts away on each axis; steps may lead around a periodic axis, any number of times.
struct Nearby {
  int rank = 0;
  Index3 steps{0, 0, 0};
  Point3 shift{0, 0, 0};  // what positions of that rank get, seen from here
};

/// The most steps that a reach may take on an axis, one way.
inline constexpr std::int64_t kMostSteps = 31;

/// All parts whose box lies within `reach` of rank `rank`'s, itself left out; by rank, then steps (z, then y, then x).
/// Symmetric: if A has B at steps s, B has A at -s. Throws Error(invalid_argument) when there are too many.
std::vector<Nearby> neighborhood_of(const Partition& partition, int rank, double reach);

/// The ranks one step away, for migrations: ascending, without `rank` itself.
std::vector<int> adjacent_ranks(const Partition& partition, int rank);

}  // namespace halyard::particles
