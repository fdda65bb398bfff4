// Gpu: the program's simulation on a GPU. Two implementations with the same functions, one of which is linked:
// cuda/ when Kokkos was built with CUDA, absent.cpp otherwise. Main thread only.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "simulation.hpp"

namespace halyard::stencil::gpu {

/// Collective. Throws SetupError or halyard::Error on every rank.
std::unique_ptr<Simulation> make_simulation(MPI_Comm comm, const Settings& settings, const Grid& grid,
                                            double coefficient);

}  // namespace halyard::stencil::gpu
