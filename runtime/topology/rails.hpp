// Rails: which NIC serves which GPU. Nearest first; among equally near ones the faster, then the one that serves fewer
// GPUs so far. Pure, and the same on every rank of a node.
#pragma once

#include <optional>
#include <vector>

#include "topology/topology.hpp"

namespace halyard::topology {

struct Rail {
  std::size_t gpu = 0;
  std::optional<std::size_t> nic;  // none: no NIC can be used
  Distance distance = Distance::unknown;
  std::vector<std::size_t> ties;  // other NICs that are as near and as fast
};

/// One rail for each GPU, in their order. NICs without an active port are left out, and virtual functions where there
/// is a physical one.
std::vector<Rail> assign_rails(const Topology& topology);

}  // namespace halyard::topology
