// Topology: which GPUs and which NICs there are and how far they are apart. Plain data: read from a root here, or
// filled by whoever reads another description of a machine (hwloc XML, NCCL XML, nvidia-smi's table).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/root.hpp"
#include "topology/distance.hpp"
#include "topology/pci.hpp"
#include "topology/rdma.hpp"

namespace halyard::topology {

struct Gpu {
  std::string name;  // "GPU0": NVIDIA's order by PCI address, as with CUDA_DEVICE_ORDER=PCI_BUS_ID
  std::optional<PciAddress> address;
  int numa_node = -1;
};

struct Nic {
  std::string name;  // "mlx5_0"
  std::optional<PciAddress> address;
  int numa_node = -1;
  double gbit_s = 0;  // of the fastest active port; 0: not known
  bool is_active = false;
  bool is_virtual_function = false;
};

struct Topology {
  std::vector<Gpu> gpus;
  std::vector<Nic> nics;
  int num_numa_nodes = 0;                     // 0: not known
  std::vector<std::vector<Distance>> to_nic;  // [gpu][nic]
  std::vector<std::vector<Distance>> to_gpu;  // [gpu][gpu]
};

/// NUMA nodes with memory or CPUs in /sys/devices/system/node; 0 when it cannot be read, 1 where there is no such
/// folder but the CPUs are listed (a kernel without NUMA).
int count_numa_nodes(const facts::Root& root);

Topology topology_of(const PciTree& pci, const RdmaDevices& rdma, int num_numa_nodes);

}  // namespace halyard::topology
