// run_link_bench: the whole of `halyard bench link`, from checked options to the last line.
#pragma once

#include <mpi.h>

#include "link/options.hpp"

namespace halyard::bench {

/// Collective. 0: every method that is open here ran and was right; 1: one was wrong, or one named by --only could not
/// run. Throws UsageError, the same on both ranks, for options that make no sense.
int run_link_bench(MPI_Comm comm, const LinkBenchOptions& options);

}  // namespace halyard::bench
