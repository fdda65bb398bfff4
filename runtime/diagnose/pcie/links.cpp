// pcie-link: do GPUs and NICs run at the link speed and width that they and their slots can, and is the link enough for
// the NIC's port? Idle GPUs lower their speed to save power: that alone is unknown, not a fault.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "diagnose/pcie/checks.hpp"
#include "diagnose/words.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::pcie {
namespace {

using topology::PciDevice;

struct Link {
  double gt_s = 0;
  std::int64_t width = 0;
};

std::optional<Link> read_link(const facts::Root& root, const std::string& folder, const char* which,
                              std::vector<std::string>& evidence) {
  const auto speed = read_as_evidence(root, fmt::format("{}/{}_link_speed", folder, which), evidence);
  const auto width = read_as_evidence(root, fmt::format("{}/{}_link_width", folder, which), evidence);
  const auto gt_s = facts::leading_number(speed.text);  // "Unknown" in virtual machines
  const auto lanes = facts::number_in(width.text);
  if (!speed.ok() || !width.ok() || !gt_s || !lanes || *gt_s <= 0 || *lanes <= 0 || *lanes > 32) return std::nullopt;
  return Link{*gt_s, *lanes};
}

// Payload of the link after line coding, before packet headers.
double gbit_s_of(const Link& link) {
  const double coding = link.gt_s < 8 ? 0.8 : 128.0 / 130.0;
  return link.gt_s * coding * static_cast<double>(link.width);
}

std::string text_of(const Link& link) { return fmt::format("{} GT/s x{}", link.gt_s, link.width); }

// What the slot can, which is the bridge's half of the link.
std::optional<Link> slot_of(const Machine& machine, const PciDevice& device) {
  if (device.bridges.empty()) return std::nullopt;
  std::vector<std::string> unused;
  return read_link(machine.root(), "/sys/bus/pci/devices/" + topology::text_of(device.bridges.back()), "max", unused);
}

double port_gbit_s(const Machine& machine, const PciDevice& device) {
  double sum = 0;
  for (const topology::RdmaDevice& rdma : machine.rdma().devices)
    if (rdma.pci == device.address)
      for (const topology::RdmaPort& port : rdma.ports)
        if (topology::is_active(port)) sum += port.gbit_s;
  return sum;
}

void warn(Finding& finding, std::string summary, std::string remedy) {
  finding.verdict = Verdict::warn;
  finding.summary = std::move(summary);
  finding.remedy = std::move(remedy);
}

void judge(const PciDevice& device, const Link& now, const Link& can, double port, Finding& finding) {
  finding.verdict = Verdict::ok;
  finding.summary = text_of(now);
  if (now.width < can.width)
    return warn(finding, fmt::format("{} of {} possible lanes", now.width, can.width),
                "seat the card anew, then the riser and the slot's bifurcation in the BIOS; 'lspci -vv' shows LnkSta "
                "against LnkCap");
  if (now.gt_s < can.gt_s && topology::is_gpu(device)) {
    finding.verdict = Verdict::unknown;
    finding.summary = fmt::format("{} of {} GT/s, which may be an idle GPU's", now.gt_s, can.gt_s);
    finding.remedy = "look again while the GPU works: nvidia-smi --query-gpu=pcie.link.gen.current --format=csv";
    return;
  }
  if (now.gt_s < can.gt_s)
    return warn(finding, fmt::format("{} of {} possible GT/s", now.gt_s, can.gt_s),
                "look for the slot's speed in the BIOS (Auto or Gen limit), and for errors in 'dmesg' (AER)");
  if (port > gbit_s_of(now))
    warn(finding,
         fmt::format("{} carries {:.0f} Gb/s, the port {:.0f}", text_of(now), std::floor(gbit_s_of(now)), port),
         "move the card to a wider or newer slot, or do not count on the port's whole rate");
}

Finding check_device(const Machine& machine, const PciDevice& device) {
  Finding finding;
  const auto now = read_link(machine.root(), device.sysfs, "current", finding.evidence);
  const auto can = read_link(machine.root(), device.sysfs, "max", finding.evidence);
  if (!now || !can) {
    finding.summary = "speed or width cannot be read (usual in a virtual machine)";
  } else {
    Link possible = *can;
    if (const auto slot = slot_of(machine, device)) {
      possible = {std::min(slot->gt_s, can->gt_s), std::min(slot->width, can->width)};
      finding.evidence.push_back(fmt::format("slot {}: {}", topology::text_of(device.bridges.back()), text_of(*slot)));
    }
    judge(device, *now, possible, port_gbit_s(machine, device), finding);
  }
  finding.subject = topology::text_of(device.address);
  return finding;
}

}  // namespace

Findings check_links(const Machine& machine) {
  Findings findings;
  for (const PciDevice& device : machine.pci().devices)
    if ((topology::is_gpu(device) || topology::is_rdma_adapter(device)) && !device.is_virtual_function)
      findings.push_back(check_device(machine, device));
  if (findings.empty()) return nothing_to_check("no GPU and no RDMA adapter");
  return findings;
}

}  // namespace halyard::diagnose::pcie
