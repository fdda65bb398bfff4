// cpu-governor: does a core that waits for a message keep its clock? Every wait of a halo exchange is short; a governor
// that saves power answers late.
#include <fmt/format.h>

#include <map>

#include "diagnose/host/checks.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::host {
namespace {

constexpr std::string_view kCpus = "/sys/devices/system/cpu";

}  // namespace

Findings check_governor(const Machine& machine) {
  const auto& root = machine.root();
  const auto online = root.read(std::string(kCpus) + "/online");
  const auto cpus = facts::list_in(online.text);
  if (!cpus)
    return {{"",
             "",
             Verdict::unknown,
             "cannot read which CPUs there are",
             {facts::evidence_of(std::string(kCpus) + "/online", online)},
             ""}};
  std::map<std::string, int> governors;
  facts::Access access = facts::Access::missing;
  for (const int cpu : *cpus) {
    const auto reading = root.read(fmt::format("{}/cpu{}/cpufreq/scaling_governor", kCpus, cpu), 256);
    if (reading.ok()) ++governors[std::string(facts::first_line(reading.text))];
    if (reading.access != facts::Access::missing) access = reading.access;
  }
  Finding finding;
  std::string counts;
  for (const auto& [name, count] : governors)
    counts += fmt::format("{}{} on {} CPUs", counts.empty() ? "" : ", ", name, count);
  finding.evidence = {fmt::format("{}/cpu*/cpufreq/scaling_governor: {}", kCpus,
                                  counts.empty() ? name_of(access) : facts::quoted_text(counts))};
  if (governors.empty()) {
    finding.verdict = access == facts::Access::missing ? Verdict::not_applicable : Verdict::unknown;
    finding.summary = finding.verdict == Verdict::unknown
                          ? "cannot read the clocks' governor"
                          : "the clocks are not ruled from here (a virtual machine, or firmware)";
    return {finding};
  }
  const bool is_fast = governors.size() == 1 && governors.begin()->first == "performance";
  finding.verdict = is_fast ? Verdict::ok : Verdict::warn;
  finding.summary = fmt::format("governor: {}", facts::quoted_text(counts));
  if (!is_fast) finding.remedy = "cpupower frequency-set -g performance (as root, in the node's prolog)";
  return {finding};
}

}  // namespace halyard::diagnose::host
