// wait_policy: how ranks of this node should wait: spin while each can have a core, yield early when they cannot.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "base/backoff.hpp"
#include "halyard/options.hpp"

namespace halyard::context {

struct NodeShape {
  int num_ranks = 1;  // of the communicator, on this node
  int num_cores = 1;  // that these may run on, together
  int rank_on_node = 0;
  std::vector<int> ranks = {};  // of the communicator, ascending: those on this node
};

/// Collective over `comm`.
NodeShape node_shape(MPI_Comm comm);

base::WaitPolicy wait_policy(const Options& options, const NodeShape& node);

/// "2 ranks on 2 cores: spins" for explain().
std::string wait_text(const Options& options, const NodeShape& node);

}  // namespace halyard::context
