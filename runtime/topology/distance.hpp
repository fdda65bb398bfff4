// How far two PCI devices are apart, in the five steps that nvidia-smi's table made known. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "topology/pci.hpp"

namespace halyard::topology {

/// Smaller is nearer. `unknown` sorts last: nothing is taken for near without evidence.
enum class Distance : std::uint8_t {
  pix,      // at most one PCIe switch between them
  pxb,      // several switches, no host bridge
  phb,      // through one host bridge (the CPU's root complex)
  node,     // two host bridges of one NUMA node
  sys,      // across NUMA nodes, over the link between sockets
  unknown,  // the tree does not say
};

/// "PIX", "PXB", "PHB", "NODE", "SYS", "unknown"
std::string_view name_of(Distance distance);

/// Compares the ways from the host bridge component by component, domains included. With several NUMA nodes and a
/// device that names none, what would be NODE or SYS is unknown.
Distance distance_between(const PciDevice& a, const PciDevice& b, int num_numa_nodes);

}  // namespace halyard::topology
