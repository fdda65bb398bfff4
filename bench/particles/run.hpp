// run_particles_bench: `halyard bench particles`, see bench/README.md. Collective; answers the exit code.
#pragma once

#include <mpi.h>

#include "particles/options.hpp"

namespace halyard::bench {

int run_particles_bench(MPI_Comm comm, const ParticlesBenchOptions& options);

}  // namespace halyard::bench
