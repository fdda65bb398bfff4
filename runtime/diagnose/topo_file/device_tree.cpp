// See device_tree.hpp.
#include "diagnose/topo_file/device_tree.hpp"

#include <algorithm>

namespace halyard::diagnose {

int DeviceTree::add(Role role, int parent) {
  nodes_.push_back({role, parent, parent < 0 ? 0 : nodes_[static_cast<std::size_t>(parent)].depth + 1});
  return static_cast<int>(nodes_.size()) - 1;
}

void DeviceTree::place(TopoDevice device, int node) {
  is_over_full_ = placed_.size() >= kMaxTopoDevices;
  if (!is_over_full_) placed_.push_back({std::move(device), node});
}

// What the lowest common ancestor is says how far it is; below a bridge, how many bridges lie on the way to it.
Nearness DeviceTree::nearness(int a, int b, int bridges_per_switch) const {
  int bridges_a = 0;
  int bridges_b = 0;
  const auto climb = [&](int& node, int& bridges) {
    node = parent_of(node);
    if (node >= 0 && role_of(node) == Role::bridge) ++bridges;
  };
  const auto depth = [&](int node) { return nodes_[static_cast<std::size_t>(node)].depth; };
  while (a != b) {
    if (a < 0 || b < 0) return Nearness::unknown;
    const bool is_a_deeper = depth(a) > depth(b);
    const bool is_b_deeper = depth(b) > depth(a);
    if (!is_b_deeper) climb(a, bridges_a);
    if (!is_a_deeper) climb(b, bridges_b);
  }
  if (a < 0) return Nearness::unknown;
  switch (role_of(a)) {
    case Role::device:
      return Nearness::pix;  // two functions of one card
    case Role::bridge:
      return std::max(bridges_a, bridges_b) <= bridges_per_switch ? Nearness::pix : Nearness::pxb;
    case Role::host_bridge:
      return Nearness::phb;
    case Role::numa_node:
      return Nearness::node;
    case Role::machine:
      break;
  }
  return Nearness::sys;
}

TopoFile DeviceTree::result(std::string format, int bridges_per_switch) const {
  TopoFile topo;
  topo.format = std::move(format);
  auto placed = placed_;
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed& a, const Placed& b) { return a.device.kind < b.device.kind; });
  for (const Placed& a : placed) {
    topo.devices.push_back(a.device);
    auto& row = topo.nearness.emplace_back();
    for (const Placed& b : placed)
      row.push_back(&a == &b ? Nearness::same : nearness(a.node, b.node, bridges_per_switch));
  }
  if (is_over_full_) topo.troubles.push_back("more than 256 devices: the rest is left out");
  return topo;
}

}  // namespace halyard::diagnose
