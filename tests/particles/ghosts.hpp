// What ghosts a rank should hold, from everybody's particles, by brute force; and what is wrong with those that it
// holds.
#pragma once

#include <string>
#include <vector>

#include "particles/gas.hpp"

namespace halyard::test {

struct Owned {
  std::int64_t id = 0;
  std::int64_t owner = 0;
  Point3 position{};
};

/// Everybody's particles. Collective.
std::vector<Owned> everybody(MPI_Comm comm, const Gas& gas);

/// What is wrong with the ghosts of this rank after a forward exchange of positions and ids: each image that lies
/// within reach of the rank's box must be there once, at its place to the last bits, in the group of its owner. Local.
std::string wrong_ghosts(const std::vector<Owned>& all, const ParticleDomain& domain, const Gas& gas,
                         const Borders& borders, int rank);

/// For each pair of particle images closer than `reach`, how often this rank's owned particles see it: with all ranks
/// together each pair must be seen `expected` times (2 in a full shell, 1 in a half shell where the pair crosses ranks
/// or images, counting the pair once if both are owned). Collective; empty when right.
std::string wrong_pairs(MPI_Comm comm, const ParticleDomain& domain, const Gas& gas, const Borders& borders,
                        Shell shell);

}  // namespace halyard::test
