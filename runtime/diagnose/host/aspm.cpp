// aspm: may the PCIe links of GPUs and NICs fall asleep? A link that does takes microseconds to come back.
#include <fmt/format.h>

#include "diagnose/host/checks.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::host {
namespace {

constexpr std::string_view kPolicy = "/sys/module/pcie_aspm/parameters/policy";

bool is_ours(const topology::PciDevice& device) {
  return topology::is_gpu(device) || topology::is_rdma_adapter(device);
}

// The states that a link may use, as files of its own say: "l1_aspm".
Findings sleeping_links(const Machine& machine) {
  Findings findings;
  for (const auto& device : machine.pci().devices) {
    if (!is_ours(device)) continue;
    const std::string folder = device.sysfs + "/link";
    for (const auto& name : machine.root().list(folder).names) {
      const auto state = machine.root().read(folder + "/" + name, 64);
      if (!name.ends_with("_aspm") || facts::number_in(state.text).value_or(0) == 0) continue;
      findings.push_back({"",
                          text_of(device.address),
                          Verdict::warn,
                          "its PCIe link may fall asleep",
                          {facts::evidence_of(folder + "/" + name, state)},
                          fmt::format("echo 0 > {}/{} (as root), or boot with pcie_aspm=off", folder, name)});
    }
  }
  return findings;
}

Finding judge_policy(const facts::Reading& policy) {
  Finding finding;
  finding.evidence = {facts::evidence_of(kPolicy, policy)};
  const bool saves =
      policy.text.find("[powersave]") != std::string::npos || policy.text.find("[powersupersave]") != std::string::npos;
  if (!policy.ok()) {
    finding.verdict = policy.access == facts::Access::missing ? Verdict::not_applicable : Verdict::unknown;
    finding.summary = finding.verdict == Verdict::unknown ? "cannot read how PCIe links save power"
                                                          : "this kernel does not manage the power of PCIe links";
    return finding;
  }
  finding.verdict = saves ? Verdict::warn : Verdict::ok;
  finding.summary =
      saves ? "PCIe links may fall asleep" : "no PCIe link of a GPU or NIC is allowed to fall asleep by the kernel";
  if (saves)
    finding.remedy = fmt::format("echo performance > {} (as root), or boot with pcie_aspm.policy=performance", kPolicy);
  return finding;
}

}  // namespace

Findings check_aspm(const Machine& machine) {
  if (!machine.has_gpu() && !machine.has_rdma())
    return {{"", "", Verdict::not_applicable, "no GPU and no RDMA adapter", {}, ""}};
  Findings findings = sleeping_links(machine);
  if (findings.empty()) findings.push_back(judge_policy(machine.root().read(kPolicy)));
  return findings;
}

}  // namespace halyard::diagnose::host
