// What the two XML readers collect of each device, and the Topology that follows from it.
#pragma once

#include <string>
#include <vector>

#include "topology/pci.hpp"
#include "topology/topology.hpp"

namespace halyard::topology {

struct Placed {
  std::string name;
  PciDevice pci;  // address, host bridge, bridges and NUMA node are enough
};

/// At most kMaxTopoDevices of each kind are kept.
Topology topology_of(std::vector<Placed> gpus, std::vector<Placed> nics, int num_numa_nodes);

}  // namespace halyard::topology
