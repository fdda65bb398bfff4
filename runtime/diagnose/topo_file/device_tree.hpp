// DeviceTree: the tree that an XML topology spells out, as far as nearness needs it: NUMA nodes, host bridges, PCIe
// bridges or switches, devices. Filled by the two XML readers, who then ask it for the TopoFile.
#pragma once

#include <string>
#include <vector>

#include "diagnose/topo_file/topo_file.hpp"

namespace halyard::diagnose {

class DeviceTree {
 public:
  enum class Role { machine, numa_node, host_bridge, bridge, device };

  /// The node of which `parent` is the parent (-1: the root). Returns its number.
  int add(Role role, int parent);
  int parent_of(int node) const { return nodes_[static_cast<std::size_t>(node)].parent; }

  /// A GPU or NIC at `node`. More than kMaxTopoDevices are left out.
  void place(TopoDevice device, int node);
  bool is_over_full() const { return is_over_full_; }

  /// `bridges_per_switch`: 1 where a switch is one node (NCCL), 2 where each of its ports is (hwloc).
  TopoFile result(std::string format, int bridges_per_switch) const;

 private:
  struct Node {
    Role role;
    int parent;
    int depth;
  };
  struct Placed {
    TopoDevice device;
    int node;
  };

  Nearness nearness(int a, int b, int bridges_per_switch) const;
  Role role_of(int node) const { return nodes_[static_cast<std::size_t>(node)].role; }

  std::vector<Node> nodes_;
  std::vector<Placed> placed_;
  bool is_over_full_ = false;
};

}  // namespace halyard::diagnose
