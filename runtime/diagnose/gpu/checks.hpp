// The checks on GPUs and what lets a NIC reach their memory. See diagnose/check.hpp.
#pragma once

#include "diagnose/finding.hpp"
#include "diagnose/machine.hpp"

namespace halyard::diagnose::gpu {

Findings check_present(const Machine& machine);
Findings check_visible(const Machine& machine);
Findings check_peermem(const Machine& machine);
Findings check_bar1(const Machine& machine);

}  // namespace halyard::diagnose::gpu
