// See thermo.hpp.
#include "model/thermo.hpp"

namespace halyard::md {

double temperature_of(double mass_speed_squared, std::int64_t num_atoms) {
  return mass_speed_squared / (3.0 * static_cast<double>(num_atoms) - 3.0);
}

Thermo thermo_of(const SystemSums& sums, std::int64_t num_atoms, double volume, std::int64_t step) {
  Thermo thermo;
  thermo.step = step;
  thermo.temperature = temperature_of(sums.mass_speed_squared, num_atoms);
  thermo.potential = sums.pair_energy;
  thermo.kinetic = 0.5 * sums.mass_speed_squared;
  thermo.total = thermo.potential + thermo.kinetic;
  thermo.pressure = (sums.mass_speed_squared + sums.virial) / (3.0 * volume);
  thermo.momentum = sums.momentum;
  return thermo;
}

}  // namespace halyard::md
