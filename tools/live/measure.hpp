// measure_live: the measurements of a live run without the report.
#pragma once

#include "live/live.hpp"
#include "live/result.hpp"

namespace halyard::live {

/// Collective; every rank gets the whole result. Throws as run_live does.
LiveResult measure_live(MPI_Comm comm, const LiveOptions& options);

}  // namespace halyard::live
