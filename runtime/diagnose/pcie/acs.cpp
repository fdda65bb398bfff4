// acs: do bridges between a GPU and another GPU or a NIC send peer traffic up to the root complex (field case K04)?
// Read from the bridges' configuration space, which only root sees whole: otherwise unknown, never ok.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "diagnose/pcie/checks.hpp"
#include "diagnose/words.hpp"
#include "facts/text.hpp"
#include "topology/config_space.hpp"

namespace halyard::diagnose::pcie {
namespace {

using topology::PciAddress;
using topology::PciDevice;

// What a packet from one device to the other passes: the bridges above either that are not above both, and where the
// two ways meet at one bridge, not that one.
void add_between(const PciDevice& a, const PciDevice& b, std::set<PciAddress>& bridges) {
  if (a.host_bridge.empty() || a.host_bridge != b.host_bridge) return;  // through the root complex whatever ACS says
  const auto [first, second] = std::mismatch(a.bridges.begin(), a.bridges.end(), b.bridges.begin(), b.bridges.end());
  bridges.insert(first, a.bridges.end());
  bridges.insert(second, b.bridges.end());
}

std::set<PciAddress> bridges_on_peer_ways(const Machine& machine) {
  std::vector<const PciDevice*> gpus, ends;
  for (const PciDevice& device : machine.pci().devices) {
    if (topology::is_gpu(device)) gpus.push_back(&device);
    if (topology::is_gpu(device) || topology::is_rdma_adapter(device)) ends.push_back(&device);
  }
  std::set<PciAddress> bridges;
  for (const PciDevice* gpu : gpus)
    for (const PciDevice* end : ends)
      if (gpu != end) add_between(*gpu, *end, bridges);
  return bridges;
}

struct Seen {
  std::vector<std::string> redirecting, unreadable, evidence;
  std::size_t num_bridges = 0;
};

void look_at(const Machine& machine, const PciAddress& address, Seen& seen) {
  const std::string path = "/sys/bus/pci/devices/" + text_of(address) + "/config";
  const auto reading = machine.root().read(path, 4096);
  const topology::ConfigSpace config(reading.text);
  ++seen.num_bridges;
  if (!reading.ok() || !config.has_extended()) {
    seen.unreadable.push_back(text_of(address));
    if (seen.unreadable.size() == 1)
      seen.evidence.push_back(reading.ok() ? fmt::format("{}: {} bytes readable of 4096", path, config.bytes())
                                           : facts::evidence_of(path, reading));
    return;
  }
  const auto control = topology::acs_control(config);
  if (!control) return;
  const bool is_redirecting = (*control & topology::kAcsRedirect) != 0;
  if (is_redirecting) seen.redirecting.push_back(text_of(address));
  if (*control != 0)
    seen.evidence.push_back(
        fmt::format("{} ACSCtl 0x{:04x}: {}", text_of(address), *control, topology::acs_text(*control)));
}

}  // namespace

Findings check_acs(const Machine& machine) {
  const auto bridges = bridges_on_peer_ways(machine);
  if (bridges.empty()) return nothing_to_check("no bridge lies between a GPU and another GPU or a NIC");
  Seen seen;
  for (const PciAddress& bridge : bridges) look_at(machine, bridge, seen);
  Finding finding;
  finding.evidence = seen.evidence;
  if (!seen.redirecting.empty()) {
    finding.verdict = Verdict::warn;
    finding.summary = fmt::format("{} of {} bridges send peer traffic through the CPU: {}", seen.redirecting.size(),
                                  seen.num_bridges, listed(seen.redirecting));
    finding.remedy = fmt::format(
        "as root, for each: setpci -s {} ECAP_ACS+6.w=0000 (lost at reboot), or ACS off in the BIOS; in "
        "a virtual machine leave it on and enable ATS on the adapter",
        seen.redirecting.front());
  } else if (!seen.unreadable.empty()) {
    finding.summary =
        fmt::format("the ACS control of {} of {} bridges cannot be read", seen.unreadable.size(), seen.num_bridges);
    finding.remedy = "run 'halyard doctor --check acs' as root";
  } else {
    finding.verdict = Verdict::ok;
    finding.summary = fmt::format("none of {} bridges redirects peer traffic", seen.num_bridges);
    if (seen.evidence.empty())
      finding.evidence.push_back(fmt::format("{} bridges: no ACS control bit is set", seen.num_bridges));
  }
  return {finding};
}

}  // namespace halyard::diagnose::pcie
