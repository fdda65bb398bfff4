// The checks on installed software. See diagnose/check.hpp.
#pragma once

#include "diagnose/finding.hpp"
#include "diagnose/machine.hpp"

namespace halyard::diagnose::software {

Findings check_versions(const Machine& machine);
Findings check_cuda_aware(const Machine& machine);

}  // namespace halyard::diagnose::software
