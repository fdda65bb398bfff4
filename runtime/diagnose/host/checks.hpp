// The checks on limits and power of the node. See diagnose/check.hpp.
#pragma once

#include "diagnose/finding.hpp"
#include "diagnose/machine.hpp"

namespace halyard::diagnose::host {

Findings check_memlock(const Machine& machine);
Findings check_huge_pages(const Machine& machine);
Findings check_shared_memory(const Machine& machine);
Findings check_governor(const Machine& machine);
Findings check_c_states(const Machine& machine);
Findings check_aspm(const Machine& machine);

}  // namespace halyard::diagnose::host
