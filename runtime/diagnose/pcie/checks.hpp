// The checks on what lies between GPUs, NICs and CPUs. See diagnose/check.hpp.
#pragma once

#include "diagnose/finding.hpp"
#include "diagnose/machine.hpp"

namespace halyard::diagnose::pcie {

Findings check_rails(const Machine& machine);
Findings check_acs(const Machine& machine);
Findings check_iommu(const Machine& machine);
Findings check_links(const Machine& machine);
Findings check_relaxed_ordering(const Machine& machine);
Findings check_cxl(const Machine& machine);

}  // namespace halyard::diagnose::pcie
