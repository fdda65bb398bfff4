// Gpu: the GPU of this rank, local rank modulo number of GPUs, and who else is on it.
//
// Chosen once, collectively, before anything else of CUDA is called.
#pragma once

#include <mpi.h>

#include "halo/report/report.hpp"

namespace halyard::bench {

struct Gpu {
  int device = 0;
  int num_local_ranks = 1;
  bool is_shared = false;  // by several ranks of this node
  bool is_one_node = true;
  GpuFacts facts;
};

/// Throws UsageError, the same on every rank, when a rank has no driver or no GPU. Collective.
Gpu choose_gpu(MPI_Comm comm);

}  // namespace halyard::bench
