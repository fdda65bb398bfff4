// See check.hpp. The table is the order of the report.
#include <algorithm>
#include <array>
#include <exception>

#include "diagnose/check.hpp"
#include "diagnose/nic/checks.hpp"

namespace halyard::diagnose {
namespace {

constexpr std::array kChecks{
    Check{"nic", "an RDMA adapter and its driver are there", nic::check_present},
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
