// Which GPU a program's Kokkos takes. Two implementations with the same functions, one of which is linked: cuda/ when
// Kokkos was built with CUDA, absent.cpp otherwise. Main thread only.
#pragma once

#include <mpi.h>

#include <string>

namespace halyard::app::gpu {

/// Whether Kokkos was built for GPUs.
bool is_built();
/// Throws SetupError with what to install when it was not.
void require_built();

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

}  // namespace halyard::app::gpu
