// run_registration_bench: the whole of `halyard bench registration`, from options to the last line.
#pragma once

#include <mpi.h>

#include "registration/options.hpp"

namespace halyard::bench {

/// Collective; rank 0 measures. 0: all that was asked for ran and was what it is called; 1: something was not, or a
/// registrar named by --registrar could not run. Throws UsageError, the same on every rank.
int run_registration_bench(MPI_Comm comm, const RegistrationBenchOptions& options);

}  // namespace halyard::bench
