// Run: a whole run of halyard-stencil, from settings that parsed to the exit code.
//
// Collective over `comm`. Bad input and set-up that cannot succeed are thrown by every rank alike
// (SetupError, halyard::Error). An exchange that fails ends the program with MPI_Abort, as no
// collective call may follow it.
#pragma once

#include <mpi.h>

#include "options.hpp"

namespace halyard::stencil {

int run(MPI_Comm comm, const Settings& settings);

}  // namespace halyard::stencil
