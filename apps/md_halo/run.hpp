// Run: a whole run of halyard-md, from settings that parsed to the exit code.
//
// Collective over `comm`. Bad input and set-up that cannot succeed are thrown by every rank alike (SetupError,
// halyard::Error). What goes wrong while atoms move ends the run with code 1; the frames that a dump has by then are
// kept.
#pragma once

#include <mpi.h>

#include "options.hpp"

namespace halyard::md {

int run(MPI_Comm comm, const Settings& settings);

}  // namespace halyard::md
