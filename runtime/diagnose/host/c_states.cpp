// c-states: how long does an idle core take to wake up? Ranks that yield or sleep while they wait pay it per message.
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/host/checks.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::host {
namespace {

constexpr std::string_view kStates = "/sys/devices/system/cpu/cpu0/cpuidle";
constexpr std::int64_t kSlow_us = 100;  // a small message between nodes takes some 2 µs

struct State {
  std::string name;
  std::int64_t latency_us = 0;
};

}  // namespace

Findings check_c_states(const Machine& machine) {
  const auto& root = machine.root();
  const auto states = root.list(kStates);
  if (!states.ok() || states.names.empty()) {
    const bool is_none = states.ok() || states.access == facts::Access::missing;
    return {{"",
             "",
             is_none ? Verdict::not_applicable : Verdict::unknown,
             is_none ? "the kernel does not choose idle states here (a virtual machine, or idle=poll)"
                     : "cannot read the idle states",
             {facts::evidence_of(kStates, {states.access, "", false, ""})},
             ""}};
  }
  State deepest;
  for (const auto& name : states.names) {
    const std::string folder = fmt::format("{}/{}", kStates, name);
    const auto latency = facts::number_in(root.read(folder + "/latency", 64).text);
    const bool is_disabled = facts::number_in(root.read(folder + "/disable", 64).text).value_or(0) != 0;
    if (latency && !is_disabled && *latency >= deepest.latency_us)
      deepest = {std::string(facts::first_line(root.read(folder + "/name", 64).text)), *latency};
  }
  Finding finding;
  finding.verdict = deepest.name.empty()            ? Verdict::unknown
                    : deepest.latency_us > kSlow_us ? Verdict::warn
                                                    : Verdict::ok;
  finding.summary = deepest.name.empty() ? "cannot read the idle states"
                                         : fmt::format("a core that idles in {} wakes up in {} µs",
                                                       facts::quoted_text(deepest.name), deepest.latency_us);
  finding.evidence = {fmt::format("{}: {} states, deepest in use {} with latency {}", kStates, states.names.size(),
                                  deepest.name.empty() ? "unknown" : facts::quoted_text(deepest.name),
                                  deepest.latency_us)};
  if (finding.verdict == Verdict::warn)
    finding.remedy = fmt::format("cpupower idle-set -D {} (as root), or let ranks spin: HALYARD_WAIT=spin", kSlow_us);
  return {finding};
}

}  // namespace halyard::diagnose::host
