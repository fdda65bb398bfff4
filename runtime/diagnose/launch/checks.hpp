// The check on how a job was started. See diagnose/check.hpp.
#pragma once

#include "diagnose/finding.hpp"
#include "diagnose/machine.hpp"

namespace halyard::diagnose::launch {

Findings check_launch(const Machine& machine);

}  // namespace halyard::diagnose::launch
