// nic-irq: are an adapter's interrupts handled by CPUs near it? Verbs that poll need none; waiting ranks, TCP over the
// same adapter and the kernel's part of connection set-up do.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diagnose/nic/checks.hpp"
#include "diagnose/words.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::nic {
namespace {

struct Count {
  std::size_t near = 0;
  std::size_t far = 0;
  std::size_t unreadable = 0;
  std::string first_far;  // as evidence
};

facts::Reading affinity_of(const facts::Root& root, const std::string& irq, std::string& path) {
  path = "/proc/irq/" + irq + "/effective_affinity_list";
  auto reading = root.read(path, 4096);
  if (reading.ok() && !facts::trimmed(reading.text).empty()) return reading;
  path = "/proc/irq/" + irq + "/smp_affinity_list";
  return root.read(path, 4096);
}

Count count(const facts::Root& root, const std::vector<std::string>& irqs, const std::set<int>& local) {
  Count result;
  for (const std::string& irq : irqs) {
    std::string path;
    const auto reading = affinity_of(root, irq, path);
    const auto cpus = facts::list_in(reading.text);
    const bool is_known = reading.ok() && cpus && !cpus->empty();
    const bool is_near =
        is_known && std::any_of(cpus->begin(), cpus->end(), [&](int cpu) { return local.count(cpu) != 0; });
    ++(!is_known ? result.unreadable : is_near ? result.near : result.far);
    if (is_known && !is_near && result.first_far.empty()) result.first_far = facts::evidence_of(path, reading);
  }
  return result;
}

Finding check_device(const Machine& machine, const topology::RdmaDevice& device, const std::string& sysfs) {
  Finding finding;
  finding.subject = device.name;
  const auto local_text = read_as_evidence(machine.root(), sysfs + "/local_cpulist", finding.evidence);
  const auto local = facts::list_in(local_text.text);
  const auto irqs = machine.root().list(sysfs + "/msi_irqs");
  if (!local_text.ok() || !local || local->empty() || !irqs.ok() || irqs.names.empty()) {
    finding.summary = "its interrupts or its CPUs cannot be read";
    finding.evidence.push_back(facts::evidence_of(sysfs + "/msi_irqs", {irqs.access}));
    return finding;
  }
  const Count counted = count(machine.root(), irqs.names, std::set<int>(local->begin(), local->end()));
  finding.evidence.push_back(
      fmt::format("{} interrupts near, {} far, {} not readable", counted.near, counted.far, counted.unreadable));
  if (counted.near + counted.far == 0) {
    finding.summary = "where its interrupts go cannot be read";
    return finding;
  }
  finding.verdict = counted.far == 0 ? Verdict::ok : Verdict::warn;
  finding.summary =
      fmt::format("{} of {} interrupts are handled by CPUs near it", counted.near, counted.near + counted.far);
  if (counted.far == 0) return finding;
  finding.evidence.push_back(counted.first_far);
  finding.remedy = fmt::format(
      "stop irqbalance, then for i in {}/msi_irqs/*: echo {} > /proc/irq/$(basename $i)/smp_affinity_list "
      "(or set_irq_affinity_bynode.sh)",
      sysfs, facts::quoted_text(local_text.text, 60));
  return finding;
}

}  // namespace

Findings check_interrupts(const Machine& machine) {
  Findings findings;
  if (machine.topology().num_numa_nodes == 1) return nothing_to_check("one NUMA node: all CPUs are near");
  for (const topology::RdmaDevice& device : machine.rdma().devices)
    if (const auto* pci = device.pci ? machine.pci().find(*device.pci) : nullptr; pci != nullptr)
      findings.push_back(check_device(machine, device, pci->sysfs));
  if (findings.empty()) return nothing_to_check("no RDMA adapter");
  return findings;
}

}  // namespace halyard::diagnose::nic
