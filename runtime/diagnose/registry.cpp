// See check.hpp. The table is the order of the report.
#include <algorithm>
#include <array>
#include <exception>

#include "diagnose/check.hpp"
#include "diagnose/environment/checks.hpp"
#include "diagnose/nic/checks.hpp"

namespace halyard::diagnose {
namespace {

constexpr std::array kChecks{
    Check{"nic", "an RDMA adapter and its driver are there", nic::check_present},
    Check{"env-names", "every variable set is read by its library", environment::check_names},
    Check{"env-values", "every variable set has a value that its library takes", environment::check_values},
    Check{"env-detours", "no setting takes data off the direct path", environment::check_detours},
};

}  // namespace

std::span<const Check> all_checks() { return kChecks; }

const Check* find_check(std::string_view id) {
  const auto found = std::find_if(kChecks.begin(), kChecks.end(), [&](const Check& check) { return check.id == id; });
  return found == kChecks.end() ? nullptr : &*found;
}

Findings run(const Check& check, const Machine& machine) {
  Findings findings;
  try {
    findings = check.run(machine);
    if (findings.empty()) findings.push_back({"", "", Verdict::unknown, "the check says nothing", {}, ""});
  } catch (const std::exception& error) {
    findings = {{"", "", Verdict::unknown, "the check could not be finished", {error.what()}, ""}};
  }
  for (Finding& finding : findings) finding.check = check.id;
  return findings;
}

Findings run_all(const Machine& machine) {
  Findings all;
  for (const Check& check : kChecks)
    for (Finding& finding : run(check, machine)) all.push_back(std::move(finding));
  return all;
}

}  // namespace halyard::diagnose
