// The check on RDMA in software. See diagnose/check.hpp.
#pragma once

#include "diagnose/finding.hpp"
#include "diagnose/machine.hpp"

namespace halyard::diagnose::soft_roce {

Findings check_pieces(const Machine& machine);

}  // namespace halyard::diagnose::soft_roce
