// namespaces: does this process live in PID, IPC or user namespaces of its own? Ranks of one node that do not share
// them cannot share memory or map each other's GPU memory, and libraries take the network instead (field case I03).
#include <fmt/format.h>

#include <array>

#include "diagnose/container/checks.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::container {
namespace {

struct Namespace {
  std::string_view name;
  std::string_view first;  // the one that the node itself lives in (include/linux/proc_ns.h of the kernel)
  std::string_view harm;
  std::string_view remedy;
};

constexpr std::string_view kOneContainer = "start all ranks of a node in one container, or ";

constexpr std::array kNamespaces{
    Namespace{
        "pid", "pid:[4026531836]",
        "a rank of another container has other process ids, so CUDA IPC and shared memory between them are refused",
        "share it: docker run --pid=host, in Kubernetes hostPID: true or shareProcessNamespace: true"},
    Namespace{"ipc", "ipc:[4026531839]", "a rank of another container sees another /dev/shm and no System V segments",
              "share it: docker run --ipc=host, in Kubernetes hostIPC: true"},
    Namespace{
        "user", "user:[4026531837]",
        "a rank of another user namespace may not read this one's memory (cross-memory attach)",
        "share it: run all ranks of a node in one container (podman --userns=host, apptainer without --fakeroot)"}};

Finding judge(const facts::Root& root, const Namespace& space) {
  const std::string path = fmt::format("/proc/self/ns/{}", space.name);
  const auto own = root.link(path);
  Finding finding;
  finding.subject = space.name;
  finding.evidence = {facts::evidence_of(path, own)};
  if (!own.ok() || !own.text.starts_with(space.name)) {
    finding.summary = fmt::format("cannot read which {} namespace this is", space.name);
    return finding;
  }
  const bool is_first = facts::trimmed(own.text) == space.first;
  finding.verdict = is_first ? Verdict::ok : Verdict::warn;
  finding.summary = is_first ? fmt::format("the {} namespace is the node's", space.name)
                             : fmt::format("a {} namespace of its own: {}", space.name, space.harm);
  if (!is_first) finding.remedy = std::string(kOneContainer) + std::string(space.remedy);
  return finding;
}

}  // namespace

Findings check_namespaces(const Machine& machine) {
  Findings findings;
  for (const Namespace& space : kNamespaces) findings.push_back(judge(machine.root(), space));
  return findings;
}

}  // namespace halyard::diagnose::container
