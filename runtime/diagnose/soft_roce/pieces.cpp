// soft-roce: which piece of RDMA in software is missing (field case N06)? The kernel's module, a device on a network
// interface, the provider in user space, an active port, an address to talk from, and whether UCX sees it. The device
// node and the limit of locked memory have checks of their own, rdma-nodes and memlock.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "diagnose/soft_roce/checks.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::soft_roce {
namespace {

using topology::RdmaDevice;
using topology::RdmaPort;

constexpr std::string_view kModule = "/sys/module/rdma_rxe";
constexpr std::array<std::string_view, 5> kProviderFolders{
    "/usr/lib/x86_64-linux-gnu/libibverbs", "/usr/lib/aarch64-linux-gnu/libibverbs", "/usr/lib64/libibverbs",
    "/usr/lib/libibverbs", "/usr/local/lib/libibverbs"};
constexpr std::string_view kAddLink =
    "rdma link add rxe0 type rxe netdev eth0 (the interface that reaches the other nodes)";

Finding failed(std::string subject, std::string summary, std::vector<std::string> evidence, std::string remedy) {
  return {"", std::move(subject), Verdict::fail, std::move(summary), std::move(evidence), std::move(remedy)};
}

Finding without_device(const facts::Root& root) {
  if (root.exists(kModule))
    return failed("", "the module rdma_rxe is loaded, but no device uses it",
                  {fmt::format("{}: there", kModule), "/sys/class/infiniband: no soft-RoCE device"},
                  std::string(kAddLink));
  return {"",
          "",
          Verdict::not_applicable,
          "no RDMA in software: the module rdma_rxe is not loaded",
          {fmt::format("{}: missing", kModule)},
          fmt::format("to have RDMA without an adapter: modprobe rdma_rxe; {}", kAddLink)};
}

// libibverbs loads what /etc/libibverbs.d names, librxe-rdmav34.so beside the other providers.
std::optional<Finding> without_provider(const facts::Root& root) {
  const bool is_named = root.exists("/etc/libibverbs.d/rxe.driver");
  std::vector<std::string> evidence{fmt::format("/etc/libibverbs.d/rxe.driver: {}", is_named ? "there" : "missing")};
  for (const auto folder : kProviderFolders) {
    const auto files = root.list(folder);
    if (!files.ok()) continue;
    const bool is_there = std::any_of(files.names.begin(), files.names.end(),
                                      [](const std::string& name) { return name.starts_with("librxe-rdmav"); });
    if (is_there && is_named) return std::nullopt;
    evidence.push_back(fmt::format("{}: {}", folder, is_there ? "librxe is there" : "no librxe"));
  }
  return failed("", "user space has no provider for soft-RoCE: ibv_devices does not list it", std::move(evidence),
                "install rdma-core's providers (Debian, Ubuntu: apt-get install ibverbs-providers; RHEL: dnf install "
                "libibverbs)");
}

// The driver names the interface below; a device without a place on the PCI bus may also be of another kind.
bool is_soft_roce(const facts::Root& root, const RdmaDevice& device) {
  return !device.pci && (device.name.starts_with("rxe") || root.exists(device.sysfs + "/parent"));
}

bool is_link_local(std::string_view gid) { return gid.starts_with("fe80"); }

std::string interface_of(const facts::Root& root, const RdmaDevice& device, const RdmaPort& port) {
  if (!port.netdev.empty()) return facts::quoted_text(port.netdev);
  const auto parent = facts::quoted_text(facts::first_line(root.read(device.sysfs + "/parent", 64).text));
  return parent.empty() ? "INTERFACE" : parent;
}

std::optional<Finding> judge_address(const facts::Root& root, const RdmaDevice& device, const RdmaPort& port) {
  std::vector<std::string> evidence;
  bool has_routable = false;
  bool has_v2 = false;
  for (const auto& gid : port.gids) {
    evidence.push_back(fmt::format("{}/gids/{}: {} {}", port.sysfs, gid.index, facts::quoted_text(gid.gid),
                                   facts::quoted_text(gid.type)));
    has_routable |= !is_link_local(gid.gid);
    has_v2 |= gid.type.find("v2") != std::string::npos;
  }
  if (evidence.empty()) evidence.push_back(fmt::format("{}/gids: no row that is not empty", port.sysfs));
  if (has_routable && has_v2) return std::nullopt;
  return failed(
      name_of(device, port),
      port.gids.empty() ? "the port has no address (GID)"
      : !has_v2         ? "the port has no RoCE v2 address (GID)"
                        : "the port has link-local addresses only, which reach no other machine by route",
      std::move(evidence),
      fmt::format("ip link set {0} up; ip addr add ADDRESS/24 dev {0}; 'rdma link' and show_gids list the result",
                  interface_of(root, device, port)));
}

std::optional<Finding> judge_port(const facts::Root& root, const RdmaDevice& device, const RdmaPort& port) {
  if (is_active(port)) return judge_address(root, device, port);
  return failed(
      name_of(device, port),
      fmt::format("the port is {}", port.state.empty() ? "in an unreadable state" : facts::quoted_text(port.state)),
      {fmt::format("{}/state: \"{}\", phys_state: \"{}\"", port.sysfs, facts::quoted_text(port.state),
                   facts::quoted_text(port.physical_state))},
      fmt::format("ip link set {} up", interface_of(root, device, port)));
}

std::optional<Finding> judge_ucx(const facts::Root& root, const RdmaDevice& device) {
  const auto devices = root.output("ucx_info -d");
  if (!devices.ok() || devices.text.find(device.name + ":") != std::string::npos) return std::nullopt;
  return Finding{
      "",
      device.name,
      Verdict::warn,
      "UCX does not list it, though the kernel has it",
      {fmt::format("ucx_info -d: no {}:1", device.name)},
      "look at rdma-nodes and memlock; if those are ok, this UCX was built without verbs ('ucx_info -b | grep IBV')"};
}

Findings judge(const Machine& machine, const RdmaDevice& device) {
  Findings findings;
  for (const RdmaPort& port : device.ports)
    if (auto finding = judge_port(machine.root(), device, port)) findings.push_back(std::move(*finding));
  if (device.ports.empty())
    findings.push_back(
        {"", device.name, Verdict::unknown, "cannot read its ports", {device.sysfs + "/ports: nothing"}, ""});
  if (findings.empty())
    if (auto finding = judge_ucx(machine.root(), device)) findings.push_back(std::move(*finding));
  if (findings.empty())
    findings.push_back({"",
                        device.name,
                        Verdict::ok,
                        "soft-RoCE is complete: module, provider, port, address",
                        {fmt::format("{}: {} ports", device.sysfs, device.ports.size())},
                        ""});
  return findings;
}

}  // namespace

Findings check_pieces(const Machine& machine) {
  const auto& devices = machine.rdma().devices;
  Findings findings;
  for (const RdmaDevice& device : devices) {
    if (!is_soft_roce(machine.root(), device)) continue;
    for (Finding& finding : judge(machine, device)) findings.push_back(std::move(finding));
  }
  if (!findings.empty()) {
    if (auto finding = without_provider(machine.root())) findings.insert(findings.begin(), std::move(*finding));
    return findings;
  }
  if (!devices.empty()) return {{"", "", Verdict::not_applicable, "the RDMA devices are no software ones", {}, ""}};
  return {without_device(machine.root())};
}

}  // namespace halyard::diagnose::soft_roce
