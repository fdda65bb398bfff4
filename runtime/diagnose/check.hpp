// How a check is declared, and the list of all of them.
//
// A check is one function in one file, <family>/<what>.cpp, declared in the family's checks.hpp and named in a table of
// registry.cpp. It reads the Machine, writes nothing, does not throw for anything that a root may hold, and returns at
// least one finding: `not applicable` when there is nothing that it could be about, `unknown` when it was not allowed
// to see. Evidence is verbatim (facts::evidence_of); the remedy is for this machine.
#pragma once

#include <span>
#include <string_view>

#include "diagnose/finding.hpp"
#include "diagnose/machine.hpp"

namespace halyard::diagnose {

struct Check {
  std::string_view id;     // "peermem": a page docs/doctor/peermem.md tells more
  std::string_view title;  // "GPU memory can be registered with the NIC"
  Findings (*run)(const Machine& machine);
};

/// All checks in the order in which they are printed: hardware first.
std::span<const Check> all_checks();
/// Null when there is none of that name.
const Check* find_check(std::string_view id);

/// Runs one and stamps its id on the findings. What it throws, or returning nothing, becomes an `unknown` finding.
Findings run(const Check& check, const Machine& machine);
Findings run_all(const Machine& machine);

}  // namespace halyard::diagnose
