// env-values: variables that are read, with values that their library refuses or quietly ignores.
#include <fmt/format.h>

#include "diagnose/environment/checks.hpp"
#include "diagnose/environment/values.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::environment {

Findings check_values(const Machine& machine) {
  Findings findings = without_environment(machine);
  if (!findings.empty()) return findings;
  for (const Variable& variable : machine.variables()) {
    const auto bad = bad_value(variable);
    if (!bad) continue;
    findings.push_back({"",
                        variable.name,
                        Verdict::warn,
                        facts::quoted_text(bad->what, 300),
                        {fmt::format("{}={}", variable.name, facts::quoted_text(variable.value))},
                        bad->instead.empty() ? fmt::format("unset {}, or give one of these names", variable.name)
                                             : fmt::format("export {}, or unset it", bad->instead)});
  }
  if (findings.empty())
    findings.push_back({"", "", Verdict::ok, "no variable has a value that its library does not take", {}, ""});
  return findings;
}

}  // namespace halyard::diagnose::environment
