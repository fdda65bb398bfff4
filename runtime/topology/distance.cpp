// See distance.hpp.
#include "topology/distance.hpp"

#include <algorithm>

namespace halyard::topology {
namespace {

std::size_t common_bridges(const PciDevice& a, const PciDevice& b) {
  const auto [end, other] = std::mismatch(a.bridges.begin(), a.bridges.end(), b.bridges.begin(), b.bridges.end());
  (void)other;
  return static_cast<std::size_t>(end - a.bridges.begin());
}

Distance between_host_bridges(const PciDevice& a, const PciDevice& b, int num_numa_nodes) {
  if (num_numa_nodes == 1) return Distance::node;
  if (a.numa_node < 0 || b.numa_node < 0) return Distance::unknown;
  return a.numa_node == b.numa_node ? Distance::node : Distance::sys;
}

}  // namespace

std::string_view name_of(Distance distance) {
  switch (distance) {
    case Distance::pix:
      return "PIX";
    case Distance::pxb:
      return "PXB";
    case Distance::phb:
      return "PHB";
    case Distance::node:
      return "NODE";
    case Distance::sys:
      return "SYS";
    case Distance::unknown:
      break;
  }
  return "unknown";
}

Distance distance_between(const PciDevice& a, const PciDevice& b, int num_numa_nodes) {
  if (a.host_bridge.empty() || b.host_bridge.empty()) return Distance::unknown;
  if (a.host_bridge != b.host_bridge) return between_host_bridges(a, b, num_numa_nodes);
  const std::size_t common = common_bridges(a, b);
  if (common == 0) return Distance::phb;
  // One switch is its upstream port, which is common, and a downstream port above each device.
  const std::size_t most_below = std::max(a.bridges.size(), b.bridges.size()) - common;
  return most_below <= 1 ? Distance::pix : Distance::pxb;
}

}  // namespace halyard::topology
