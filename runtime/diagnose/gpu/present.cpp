// gpu: are there NVIDIA GPUs, has NVIDIA's driver bound to all of them, and can this process open their device nodes?
#include <fmt/format.h>

#include "diagnose/gpu/checks.hpp"
#include "diagnose/words.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::gpu {
namespace {

constexpr const char* kVersion = "/proc/driver/nvidia/version";
constexpr const char* kControl = "/dev/nvidiactl";

Finding none(const Machine& machine) {
  Finding finding;
  const bool is_known = machine.pci().access == facts::Access::ok && !machine.pci().is_cut;
  finding.verdict = is_known ? Verdict::not_applicable : Verdict::unknown;
  finding.summary = is_known ? "no NVIDIA GPU on this machine" : "cannot see whether there is a GPU";
  finding.evidence = {is_known ? fmt::format("{} PCI devices, none an NVIDIA GPU", machine.pci().devices.size())
                               : facts::evidence_of("/sys/bus/pci/devices", {machine.pci().access})};
  return finding;
}

Findings without_driver(const Machine& machine) {
  Findings findings;
  for (const topology::PciDevice& device : machine.pci().devices) {
    if (!topology::is_gpu(device) || device.driver == "nvidia") continue;
    Finding finding;
    finding.subject = text_of(device.address);
    finding.verdict = Verdict::fail;
    const bool has_none = device.driver.empty();
    finding.summary = has_none ? "the GPU has no driver" : "the GPU is held by the driver " + device.driver;
    finding.evidence = {fmt::format("{}/driver: {}", device.sysfs, has_none ? "missing" : device.driver)};
    finding.remedy = has_none ? "load NVIDIA's driver: modprobe nvidia; 'dmesg | grep -i nvrm' says why it did not bind"
                              : fmt::format(
                                    "give it to NVIDIA's driver: echo {0} > /sys/bus/pci/devices/{0}/driver/unbind; "
                                    "modprobe nvidia; and keep {1} from taking it at boot",
                                    finding.subject, device.driver);
    findings.push_back(std::move(finding));
  }
  return findings;
}

Finding with_driver(const Machine& machine) {
  Finding finding;
  const auto version = read_as_evidence(machine.root(), kVersion, finding.evidence);
  const auto control = machine.root().entry(kControl);
  finding.evidence.push_back(fmt::format("{}: {}", kControl, name_of(control.access)));
  finding.verdict = Verdict::ok;
  finding.summary =
      fmt::format("{} GPUs, driver {}", machine.topology().gpus.size(),
                  version.ok() ? facts::quoted_text(facts::first_line(version.text), 90) : "of unknown version");
  if (control.access == facts::Access::missing) {
    finding.verdict = Verdict::fail;
    finding.summary = fmt::format("{} GPUs have a driver and {} is missing", machine.topology().gpus.size(), kControl);
    finding.remedy =
        "in a container start it with --gpus all (NVIDIA Container Toolkit), outside run nvidia-modprobe -u -c 0";
  } else if (!version.ok()) {
    finding.verdict = Verdict::unknown;
  }
  return finding;
}

}  // namespace

Findings check_present(const Machine& machine) {
  if (!machine.has_gpu()) return {none(machine)};
  Findings findings = without_driver(machine);
  if (findings.size() < machine.topology().gpus.size()) findings.push_back(with_driver(machine));
  return findings;
}

}  // namespace halyard::diagnose::gpu
