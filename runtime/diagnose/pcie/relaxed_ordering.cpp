// relaxed-ordering: may an adapter's writes overtake each other on PCIe? Where they may not, throughput to GPU memory
// and to hosts with several dies drops. The bit is in the device's configuration space, which only root sees whole.
#include <fmt/format.h>

#include "diagnose/pcie/checks.hpp"
#include "diagnose/words.hpp"
#include "facts/text.hpp"
#include "topology/config_space.hpp"

namespace halyard::diagnose::pcie {
namespace {

Finding check_device(const Machine& machine, const topology::PciDevice& device) {
  Finding finding;
  finding.subject = text_of(device.address);
  const std::string path = device.sysfs + "/config";
  const auto reading = machine.root().read(path, 4096);
  const topology::ConfigSpace config(reading.text);
  const auto control = config.has_capabilities() ? topology::device_control(config) : std::nullopt;
  if (!reading.ok() || !control) {
    finding.summary = "device control cannot be read";
    finding.evidence = {
        reading.ok() ? fmt::format("{}: {} bytes readable, no PCI Express capability in them", path, config.bytes())
                     : facts::evidence_of(path, reading)};
    finding.remedy = "run 'halyard doctor --check relaxed-ordering' as root";
    return finding;
  }
  const bool is_on = (*control & topology::kRelaxedOrdering) != 0;
  finding.verdict = is_on ? Verdict::ok : Verdict::warn;
  finding.summary =
      is_on ? "relaxed ordering is allowed" : "relaxed ordering is off: each write waits for the one before";
  finding.evidence = {fmt::format("{}: device control 0x{:04x}: RlxdOrd{}", path, *control, is_on ? '+' : '-')};
  if (!is_on)
    finding.remedy = fmt::format(
        "as root: setpci -s {} CAP_EXP+8.w=0010:0010 (lost at reboot), and 'Relaxed Ordering' on in the "
        "BIOS; leave mlxconfig's PCI_WR_ORDERING at per_mkey(0), which lets libraries ask for it",
        finding.subject);
  return finding;
}

}  // namespace

Findings check_relaxed_ordering(const Machine& machine) {
  Findings findings;
  for (const topology::PciDevice& device : machine.pci().devices)
    if (topology::is_rdma_adapter(device) && !device.is_virtual_function)
      findings.push_back(check_device(machine, device));
  if (findings.empty()) return nothing_to_check("no RDMA adapter");
  return findings;
}

}  // namespace halyard::diagnose::pcie
