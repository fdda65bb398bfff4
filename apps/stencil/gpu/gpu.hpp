// Gpu: what the program needs to know of GPUs. Two implementations with the same functions, one of which is linked:
// cuda/ when Kokkos was built with CUDA, absent.cpp otherwise. Main thread only.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "simulation.hpp"

namespace halyard::stencil::gpu {

/// Collective, before Kokkos is opened: the GPU of this rank, its rank on the node modulo the number of GPUs. Throws
/// SetupError on every rank when a rank has none.
int choose(MPI_Comm comm);

/// Whether Kokkos was built for GPUs and cannot be opened, as there is none.
bool is_missing();
/// Opens and closes Kokkos' host spaces alone; only when is_missing().
void open_host_spaces();
void close_host_spaces();

/// "NVIDIA H200"; of the GPU that Kokkos uses.
std::string name_of_current();

/// Collective. Throws SetupError or halyard::Error on every rank.
std::unique_ptr<Simulation> make_simulation(MPI_Comm comm, const Settings& settings, const Grid& grid,
                                            double coefficient);

}  // namespace halyard::stencil::gpu
