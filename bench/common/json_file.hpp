// open_json: where a bench's JSON lines go. Rank 0 writes.
#pragma once

#include <mpi.h>

#include <fstream>
#include <string>

namespace halyard::bench {

/// Opens `name` on rank 0, when it is not empty. True on the rank that writes. Throws UsageError on every rank when it
/// cannot be opened. Collective.
bool open_json(MPI_Comm comm, const std::string& name, std::ofstream& file);

}  // namespace halyard::bench
