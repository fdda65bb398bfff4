// Machine: what a measurement was taken on, as text for the table's head and the JSON lines.
//
// Read once per run, after MPI_Init. Plain values.
#pragma once

#include <string>

namespace halyard::bench {

struct Machine {
  std::string cpu;          // model name
  int cores = 0;            // on line
  std::string kernel;       // release
  std::string mpi_library;  // "Open MPI v4.1.4"
  std::string pml;          // Open MPI's transport selection, e.g. "ob1"; "default" when not set
  std::string ucx_tuning;   // UCX_RNDV_THRESH when set, else empty
};

Machine read_machine();

/// Bytes of the last-level cache that one core sees; 32 MiB where the system does not tell.
std::size_t last_level_cache_bytes();

}  // namespace halyard::bench
