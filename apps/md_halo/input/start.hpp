// Start: the System that a run begins with, spread over ranks in any way; migration brings atoms to their owners.
#pragma once

#include <mpi.h>

#include "input/system.hpp"
#include "options.hpp"

namespace halyard::md {

/// Collective. Files are read by rank 0 alone; a melt is made by all ranks. Throws SetupError on every rank.
System load_start(MPI_Comm comm, const StartSettings& settings);

}  // namespace halyard::md
