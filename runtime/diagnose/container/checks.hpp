// The checks on what a container, or a careful administrator, keeps from a process. See diagnose/check.hpp.
#pragma once

#include "diagnose/finding.hpp"
#include "diagnose/machine.hpp"

namespace halyard::diagnose::container {

Findings check_rdma_nodes(const Machine& machine);
Findings check_namespaces(const Machine& machine);
Findings check_cross_memory(const Machine& machine);

}  // namespace halyard::diagnose::container
