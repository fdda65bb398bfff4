// See machine.hpp.
#include "diagnose/machine.hpp"

#include <algorithm>

#include "facts/text.hpp"

namespace halyard::diagnose {

Machine::Machine(const facts::Root& root)
    : root_(root),
      pci_(topology::read_pci_tree(root)),
      rdma_(topology::read_rdma_devices(root)),
      topology_(topology::topology_of(pci_, rdma_, topology::count_numa_nodes(root))) {
  const auto environment = root.read("/proc/self/environ");
  variables_access_ = environment.access;
  for (const std::string_view entry : facts::split(environment.text, std::string_view("\0", 1))) {
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    variables_.push_back({std::string(entry.substr(0, equals)), std::string(entry.substr(equals + 1))});
  }
}

bool Machine::has_rdma() const {
  return !rdma_.devices.empty() || std::any_of(pci_.devices.begin(), pci_.devices.end(), topology::is_rdma_adapter);
}

std::optional<std::string> Machine::variable(std::string_view name) const {
  for (const Variable& variable : variables_)
    if (variable.name == name) return variable.value;
  return std::nullopt;
}

}  // namespace halyard::diagnose
