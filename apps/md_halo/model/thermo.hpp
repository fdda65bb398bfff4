// Thermo: temperature, energies and pressure as LAMMPS defines them: 3N-3 degrees of freedom, P = ((N-1) T + W/3) / V
// with W the sum of r F over pairs. Pure functions.
#pragma once

#include <array>
#include <cstdint>

namespace halyard::md {

/// Sums over all atoms and pairs.
struct SystemSums {
  double pair_energy = 0;
  double virial = 0;
  double mass_speed_squared = 0;
  std::array<double, 3> momentum{0, 0, 0};
};

/// Energies are of all atoms.
struct Thermo {
  std::int64_t step = 0;
  double temperature = 0;
  double potential = 0;
  double kinetic = 0;
  double total = 0;
  double pressure = 0;
  std::array<double, 3> momentum{0, 0, 0};
};

double temperature_of(double mass_speed_squared, std::int64_t num_atoms);
Thermo thermo_of(const SystemSums& sums, std::int64_t num_atoms, double volume, std::int64_t step);

}  // namespace halyard::md
