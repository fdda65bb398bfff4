// rdma-nodes: can this process open the device nodes through which user space reaches an RDMA device? The kernel may
// have the device and a container not its node.
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/container/checks.hpp"
#include "diagnose/process/process_facts.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::container {
namespace {

constexpr std::string_view kFolder = "/dev/infiniband";
constexpr std::uint32_t kReadWrite = 6;

// As the kernel decides: the owner's bits, else the group's, else everybody's.
bool may_open(const facts::Entry& node, const ProcessFacts& process) {
  if (process.may(Capability::dac_override)) return true;
  const bool is_owner = process.user == node.owner;
  const bool is_in_group = std::find(process.groups.begin(), process.groups.end(), node.group) != process.groups.end();
  const std::uint32_t bits = is_owner ? node.mode >> 6 : is_in_group ? node.mode >> 3 : node.mode;
  return (bits & kReadWrite) == kReadWrite;
}

Finding without_verbs_module(const topology::RdmaDevice& device) {
  return {"",
          device.name,
          Verdict::fail,
          "the kernel offers no way to it from user space",
          {fmt::format("/sys/class/infiniband_verbs: no uverbs device of {}", device.name)},
          "modprobe ib_uverbs (as root on the node, not in the container)"};
}

Finding without_node(const topology::RdmaDevice& device, const std::string& path, const facts::Entry& node) {
  return {"",
          device.name,
          Verdict::fail,
          fmt::format("its node {} is missing", path),
          {facts::evidence_of(path, {node.access, "", false, ""}),
           fmt::format("{}: verbs device {}", device.sysfs, device.verbs_node)},
          "pass it to the container: docker run --device=/dev/infiniband, in Kubernetes an RDMA device plugin "
          "(deploy/k8s); on a bare node udev makes it ('udevadm trigger')"};
}

Finding judge(const facts::Root& root, const topology::RdmaDevice& device, const ProcessFacts& process) {
  if (device.verbs_node.empty()) return without_verbs_module(device);
  const std::string path = fmt::format("{}/{}", kFolder, device.verbs_node);
  const facts::Entry node = root.entry(path);
  if (node.access == facts::Access::missing) return without_node(device, path, node);
  Finding finding;
  finding.subject = device.name;
  finding.evidence = {fmt::format("{}: mode {:04o}, owner {}, group {}", path, node.mode, node.owner, node.group),
                      "/proc/self/status: " + process.text()};
  if (node.access != facts::Access::ok || process.access != facts::Access::ok || !process.user) {
    finding.summary = fmt::format("cannot tell whether {} may be opened", path);
    return finding;
  }
  const bool is_open = node.kind == facts::Kind::device && may_open(node, process);
  finding.verdict = is_open ? Verdict::ok : Verdict::fail;
  finding.summary = fmt::format("{} {}", path, is_open ? "may be opened" : "may not be opened by this user");
  if (!is_open)
    finding.remedy = fmt::format("chmod 0666 {}, or add the user to its group (rdma-core's udev rules set 0666)", path);
  return finding;
}

}  // namespace

Findings check_rdma_nodes(const Machine& machine) {
  if (machine.rdma().devices.empty())
    return {{"", "", Verdict::not_applicable, "the kernel has no RDMA device, so there is no node to open", {}, ""}};
  const auto process = read_process_facts(machine.root());
  Findings findings;
  for (const auto& device : machine.rdma().devices) findings.push_back(judge(machine.root(), device, process));
  return findings;
}

}  // namespace halyard::diagnose::container
