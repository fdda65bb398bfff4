// Machine: what checks are given: the root, and what most of them need of it, read once. Never throws for what the root
// holds. Not thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/root.hpp"
#include "topology/topology.hpp"

namespace halyard::diagnose {

struct Variable {
  std::string name;
  std::string value;
};

class Machine {
 public:
  /// `root` outlives this.
  explicit Machine(const facts::Root& root);

  const facts::Root& root() const { return root_; }
  const topology::PciTree& pci() const { return pci_; }
  const topology::RdmaDevices& rdma() const { return rdma_; }
  const topology::Topology& topology() const { return topology_; }

  /// NVIDIA GPUs on the PCI bus, whether or not a driver has them.
  bool has_gpu() const { return !topology_.gpus.empty(); }
  /// RDMA devices, or adapters on the PCI bus that should be some.
  bool has_rdma() const;

  /// The environment of this process (/proc/self/environ), in its order.
  const std::vector<Variable>& variables() const { return variables_; }
  std::optional<std::string> variable(std::string_view name) const;
  /// ok, or why there is no environment to look at.
  facts::Access variables_access() const { return variables_access_; }

 private:
  const facts::Root& root_;
  topology::PciTree pci_;
  topology::RdmaDevices rdma_;
  topology::Topology topology_;
  std::vector<Variable> variables_;
  facts::Access variables_access_ = facts::Access::missing;
};

}  // namespace halyard::diagnose
