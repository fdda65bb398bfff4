// Melt: an fcc crystal of reduced density 0.8442 at T = 1.44 whose velocities are a closed formula of the positions, so
// that any code can make the same start. The usual Lennard-Jones benchmark.
//
// Ranks make disjoint parts of it; what needs sums over all atoms is left to scale_to_start(), which is given them.
#pragma once

#include <cstdint>

#include "input/system.hpp"

namespace halyard::md {

inline constexpr double kMeltTemperature = 1.44;

/// Cells first..last-1 of the n^3 cells with four atoms each, numbered with x fastest. Velocities as the formula has
/// them.
System melt_part(std::int64_t n, std::int64_t first, std::int64_t last);

/// Sums over atoms of mass 1 that decide how velocities change.
struct VelocitySums {
  std::int64_t count = 0;
  Vector sum{0, 0, 0};
};

VelocitySums velocity_sums(const System& system);
/// Takes the mean velocity off; returns what is then the sum of squares.
double remove_mean(System& system, const VelocitySums& of_all);
/// Makes the temperature that of the start, with 3N-3 degrees of freedom.
void scale_to_start(System& system, double sum_of_squares_of_all);

}  // namespace halyard::md
