// See topology.hpp.
#include "topology/topology.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "facts/text.hpp"

namespace halyard::topology {
namespace {

Nic nic_of(const RdmaDevice& device, const PciDevice* pci) {
  Nic nic;
  nic.name = device.name;
  nic.address = device.pci;
  if (pci != nullptr) {
    nic.numa_node = pci->numa_node;
    nic.is_virtual_function = pci->is_virtual_function;
  }
  for (const RdmaPort& port : device.ports) {
    if (!is_active(port)) continue;
    nic.is_active = true;
    nic.gbit_s = std::max(nic.gbit_s, port.gbit_s);
  }
  return nic;
}

Distance between(const PciTree& pci, const std::optional<PciAddress>& a, const std::optional<PciAddress>& b,
                 int num_numa_nodes) {
  const PciDevice* first = a ? pci.find(*a) : nullptr;
  const PciDevice* second = b ? pci.find(*b) : nullptr;
  if (first == nullptr || second == nullptr) return Distance::unknown;
  return distance_between(*first, *second, num_numa_nodes);
}

}  // namespace

int count_numa_nodes(const facts::Root& root) {
  const auto online = root.read("/sys/devices/system/node/online", 4096);
  if (online.access == facts::Access::missing) return root.exists("/sys/devices/system/cpu/online") ? 1 : 0;
  const auto nodes = facts::list_in(online.text);
  return online.ok() && nodes ? static_cast<int>(nodes->size()) : 0;
}

Topology topology_of(const PciTree& pci, const RdmaDevices& rdma, int num_numa_nodes) {
  Topology topology;
  topology.num_numa_nodes = num_numa_nodes;
  for (const PciDevice& device : pci.devices)
    if (is_gpu(device))
      topology.gpus.push_back({fmt::format("GPU{}", topology.gpus.size()), device.address, device.numa_node});
  for (const RdmaDevice& device : rdma.devices)
    topology.nics.push_back(nic_of(device, device.pci ? pci.find(*device.pci) : nullptr));
  for (const Gpu& gpu : topology.gpus) {
    auto& nics = topology.to_nic.emplace_back();
    auto& gpus = topology.to_gpu.emplace_back();
    for (const Nic& nic : topology.nics) nics.push_back(between(pci, gpu.address, nic.address, num_numa_nodes));
    for (const Gpu& other : topology.gpus) gpus.push_back(between(pci, gpu.address, other.address, num_numa_nodes));
  }
  return topology;
}

}  // namespace halyard::topology
