// `halyard doctor --live`: is it true? Ranks register, connect and exchange a halo by each way that there is, check
// every value, and measure direct against staged (GPU memory) or against MPI (host memory) in the same rounds.
//
// Collective: every rank calls it with the same options, between MPI_Init and MPI_Finalize. Rank 0 speaks.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace halyard::live {

struct LiveOptions {
  std::string json_file;                  // "-": standard output instead of the text; empty: none
  std::string device = "auto";            // as Options::device: where the fields lie
  double seconds = 0.5;                   // of measuring for each size
  std::vector<int> faces = {8, 64, 512};  // edges of the square faces that are exchanged, in cells of 8 bytes
};

/// Measures and prints. 0: all ways that were tried are right and the direct one is there; 1: slower or more fragile
/// than need be; 2: a direct path is closed, or a value was wrong. Throws std::invalid_argument for options that make
/// no sense, or fewer than two ranks, the same on every rank.
int run_live(MPI_Comm comm, const LiveOptions& options);

}  // namespace halyard::live
