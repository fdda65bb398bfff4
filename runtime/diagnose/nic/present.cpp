// nic: is there an RDMA adapter, and does a driver offer it? An adapter on the PCI bus without an RDMA device is the
// difference between "none" and "not set up".
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/nic/checks.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::nic {
namespace {

constexpr const char* kInfiniband = "/sys/class/infiniband";

bool is_offered(const topology::PciDevice& adapter, const topology::RdmaDevices& rdma) {
  return std::any_of(rdma.devices.begin(), rdma.devices.end(),
                     [&](const topology::RdmaDevice& device) { return device.pci == adapter.address; });
}

std::string evidence_of(const topology::PciDevice& adapter) {
  return fmt::format("{}: vendor 0x{:04x}, device 0x{:04x}, class 0x{:06x}, driver {}", adapter.sysfs, adapter.vendor,
                     adapter.device, adapter.class_code, adapter.driver.empty() ? "none" : adapter.driver);
}

Finding without_device(const topology::PciDevice& adapter) {
  Finding finding;
  finding.subject = text_of(adapter.address);
  finding.verdict = Verdict::fail;
  finding.evidence = {evidence_of(adapter)};
  const bool has_driver = !adapter.driver.empty();
  finding.summary = has_driver ? "the adapter has a driver and no RDMA device" : "the adapter has no driver";
  const bool is_mlx5 = adapter.vendor == 0x15b3;
  finding.remedy = has_driver ? fmt::format("load the RDMA half of its driver: modprobe {}; then 'rdma link' lists it",
                                            is_mlx5 ? "mlx5_ib" : "the vendor's RDMA module")
                              : fmt::format("load its driver: modprobe {}; 'dmesg' says why it did not bind to {}",
                                            is_mlx5 ? "mlx5_core" : "the vendor's module", finding.subject);
  return finding;
}

Finding none(const Machine& machine) {
  Finding finding;
  finding.evidence = {facts::evidence_of(kInfiniband, {machine.rdma().access, "", false, ""}),
                      fmt::format("{} PCI devices, none an RDMA adapter", machine.pci().devices.size())};
  const bool is_known = machine.pci().access == facts::Access::ok && !machine.pci().is_cut;
  finding.verdict = is_known ? Verdict::not_applicable : Verdict::unknown;
  finding.summary = is_known ? "no RDMA adapter on this machine" : "cannot see whether there is an RDMA adapter";
  if (!is_known)
    finding.evidence.back() = facts::evidence_of("/sys/bus/pci/devices", {machine.pci().access, "", false, ""});
  return finding;
}

Finding device_found(const topology::RdmaDevice& device) {
  Finding finding;
  finding.subject = device.name;
  finding.verdict = Verdict::ok;
  finding.summary = fmt::format("{}, firmware {}", device.pci ? text_of(*device.pci) : "no PCI device (soft-RoCE?)",
                                device.firmware.empty() ? "unknown" : facts::quoted_text(device.firmware));
  finding.evidence = {fmt::format("{}: {} ports", device.sysfs, device.ports.size())};
  return finding;
}

}  // namespace

Findings check_present(const Machine& machine) {
  Findings findings;
  for (const topology::RdmaDevice& device : machine.rdma().devices) findings.push_back(device_found(device));
  for (const topology::PciDevice& device : machine.pci().devices)
    if (topology::is_rdma_adapter(device) && !is_offered(device, machine.rdma()))
      findings.push_back(without_device(device));
  if (findings.empty()) findings.push_back(none(machine));
  return findings;
}

}  // namespace halyard::diagnose::nic
