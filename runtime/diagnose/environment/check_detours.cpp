// env-detours: settings that quietly turn a direct path off, or make each message dearer (field case F01).
#include <fmt/format.h>

#include "diagnose/environment/checks.hpp"
#include "diagnose/environment/harmful.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::environment {
namespace {

// A bus that cannot be read may hold a GPU.
bool is_without_gpu(const Machine& machine) {
  return machine.pci().access == facts::Access::ok && !machine.pci().is_cut && !machine.has_gpu();
}

}  // namespace

Findings check_detours(const Machine& machine) {
  Findings findings = without_environment(machine);
  if (!findings.empty()) return findings;
  for (const Detour& detour : detours(machine.variables())) {
    if (detour.harm == Harm::gpu_path_off && is_without_gpu(machine)) continue;
    findings.push_back({"",
                        detour.setting.substr(0, detour.setting.find('=')),
                        detour.harm == Harm::slower ? Verdict::warn : Verdict::fail,
                        detour.what,
                        {facts::quoted_text(detour.setting)},
                        detour.remedy});
  }
  if (findings.empty()) findings.push_back({"", "", Verdict::ok, "no setting takes data off the direct path", {}, ""});
  return findings;
}

}  // namespace halyard::diagnose::environment
