// cross-memory: may ranks of one node read each other's memory (process_vm_readv)? MPI and UCX do for large messages;
// where they may not, the first one says "Operation not permitted" and not why (field case I04).
#include <fmt/format.h>

#include "diagnose/container/checks.hpp"
#include "diagnose/process/process_facts.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::container {
namespace {

constexpr std::string_view kScope = "/proc/sys/kernel/yama/ptrace_scope";
constexpr std::string_view kUserSpace = "/proc/self/ns/user";
constexpr std::string_view kTrial = "trial cross-memory";
constexpr std::string_view kWithoutCma =
    "Halyard's shared path does not need it; MPI and UCX copy twice without it "
    "(OMPI_MCA_btl_vader_single_copy_mechanism=none "
    "and UCX_TLS=^cma silence their errors)";

std::string remedy_of(std::int64_t scope, const ProcessFacts& process) {
  std::string remedy;
  if (scope > 0) remedy += fmt::format("sysctl kernel.yama.ptrace_scope=0 (as root on the node; it is {}); ", scope);
  if (process.seccomp.value_or(0) == 2)
    remedy += "docker run --cap-add=SYS_PTRACE, or --security-opt seccomp=unconfined; ";
  return remedy + std::string(kWithoutCma);
}

}  // namespace

Findings check_cross_memory(const Machine& machine) {
  const auto& root = machine.root();
  const auto scope_text = root.read(kScope, 64);
  const auto scope = facts::number_in(scope_text.text);
  const auto process = read_process_facts(root);
  const auto trial = root.output(kTrial);
  Finding finding;
  finding.evidence = {facts::evidence_of(kScope, scope_text), "/proc/self/status: " + process.text(),
                      facts::evidence_of(kUserSpace, root.link(kUserSpace))};
  if (trial.access != facts::Access::missing) finding.evidence.push_back(facts::evidence_of(kTrial, trial));
  const bool is_restricted = scope.value_or(0) > 0 && !process.may(Capability::sys_ptrace);
  const bool is_filtered = process.seccomp.value_or(0) == 2;
  if (trial.access != facts::Access::missing) {
    finding.verdict = trial.ok() ? Verdict::ok : Verdict::warn;
    finding.summary = trial.ok() ? "ranks of this user may read each other's memory, tried"
                                 : "ranks of this user may not read each other's memory, tried";
  } else if (process.access != facts::Access::ok || (!scope && scope_text.access != facts::Access::missing)) {
    finding.summary = "cannot tell whether ranks may read each other's memory";
  } else if (is_restricted) {
    finding.verdict = Verdict::warn;
    finding.summary = "only a parent may read its children's memory, and ranks are brothers";
  } else if (is_filtered) {
    finding.summary = "a seccomp filter may refuse to read other ranks' memory";
  } else {
    finding.verdict = Verdict::ok;
    finding.summary = "nothing forbids ranks of this user to read each other's memory";
  }
  if (finding.verdict == Verdict::warn) finding.remedy = remedy_of(scope.value_or(0), process);
  return {finding};
}

}  // namespace halyard::diagnose::container
