// System: the particles of a bench case, the same for every way of exchanging them: a jittered lattice at the density
// of a melt, cubes of it side by side on the ranks. Each way has a copy of its own.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "halyard/particle_domain.hpp"

namespace halyard::bench {

struct Particle {
  Point3 position{};
  Point3 velocity{};
  std::int64_t id = 0;
};

struct System {
  ParticleDomain domain;
  double reach = 0;
  std::vector<Particle> mine;  // owned by this rank
};

System make_system(MPI_Comm comm, std::int64_t owned, double reach);

/// Whether particle `id` is one of the `fraction` that leave in this round, and how far: half the box on the axis that
/// the ranks cut (the last one of those with most ranks).
bool leaves(std::int64_t id, double fraction, int round);
std::size_t cut_axis(const ParticleDomain& domain);

/// Of a particle's values: sums of these do not depend on the order.
std::uint64_t code_of(const Point3& position, std::uint64_t with);

}  // namespace halyard::bench
