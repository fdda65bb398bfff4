// The checks on what a job was started with. See diagnose/check.hpp.
#pragma once

#include "diagnose/finding.hpp"
#include "diagnose/machine.hpp"

namespace halyard::diagnose::environment {

Findings check_names(const Machine& machine);
Findings check_values(const Machine& machine);
Findings check_detours(const Machine& machine);

/// The one finding where the environment cannot be looked at; empty where it can.
Findings without_environment(const Machine& machine);

}  // namespace halyard::diagnose::environment
