// run_halo_bench: the whole of `halyard bench halo`, from checked options to the last line.
#pragma once

#include <mpi.h>

#include "halo/options.hpp"

namespace halyard::bench {

/// Collective. 0: every method ran and was right; 1: one was wrong, or one named by --only could
/// not run. Throws UsageError, the same on every rank, for options that make no sense.
int run_halo_bench(MPI_Comm comm, const HaloBenchOptions& options);

}  // namespace halyard::bench
