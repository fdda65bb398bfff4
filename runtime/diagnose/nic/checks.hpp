// The checks on network adapters. See diagnose/check.hpp.
#pragma once

#include "diagnose/finding.hpp"
#include "diagnose/machine.hpp"

namespace halyard::diagnose::nic {

Findings check_present(const Machine& machine);
Findings check_ports(const Machine& machine);
Findings check_gids(const Machine& machine);
Findings check_firmware(const Machine& machine);
Findings check_interrupts(const Machine& machine);

}  // namespace halyard::diagnose::nic
