// LennardJones: what the force kernels need of each pair of types, from the terms that a System gives.
//
// E(r) = 4 epsilon ((sigma/r)^12 - (sigma/r)^6) below the cut-off, less its value there when it is shifted. Pairs that
// the System leaves out are mixed as LAMMPS does by default: geometric means of epsilon, sigma and cut-off.
#pragma once

#include <vector>

#include "input/system.hpp"

namespace halyard::md {

/// Of one pair of types: F/r = r^-6 (force12 r^-6 - force6) r^-2, E = r^-6 (energy12 r^-6 - energy6) - offset.
struct PairConstants {
  double cutoff_squared = 0;
  double force12 = 0, force6 = 0;
  double energy12 = 0, energy6 = 0;
  double offset = 0;
};

enum class EnergyShift { none, zero_at_cutoff };

class LennardJones {
 public:
  /// `cutoff` is of pairs that have none of their own.
  LennardJones(const System& system, double cutoff, EnergyShift shift);

  int num_types() const { return num_types_; }
  /// num_types x num_types, symmetric.
  const std::vector<PairConstants>& table() const { return table_; }
  double longest_cutoff() const;

 private:
  int num_types_;
  std::vector<PairConstants> table_;
};

}  // namespace halyard::md
