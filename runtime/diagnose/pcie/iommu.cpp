// iommu: are addresses of GPUs and NICs translated? A translating IOMMU sends peer traffic through the root complex, or
// refuses it; identity mapping (iommu=pt) does not. Decided by the type of each device's group (field case K04).
#include <fmt/format.h>

#include "diagnose/pcie/checks.hpp"
#include "diagnose/words.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::pcie {
namespace {

struct Seen {
  std::vector<std::string> translated, unknown, evidence;
  std::size_t num_identity = 0;
  std::size_t num_without = 0;
};

bool is_translating(std::string_view type) { return type == "DMA" || type == "DMA-FQ"; }

void look_at(const Machine& machine, const topology::PciDevice& device, Seen& seen) {
  const std::string group = device.sysfs + "/iommu_group";
  const auto reading = machine.root().read(group + "/type", 64);
  const auto type = facts::trimmed(reading.text);
  const std::string name = text_of(device.address);
  if (!machine.root().exists(group)) {
    ++seen.num_without;
    return;
  }
  seen.evidence.push_back(facts::evidence_of(group + "/type", reading));
  if (reading.ok() && is_translating(type))
    seen.translated.push_back(name);
  else if (reading.ok() && type == "identity")
    ++seen.num_identity;
  else
    seen.unknown.push_back(name);
}

Finding judge(const Seen& seen, bool is_iommu_known, bool has_iommu) {
  Finding finding;
  if (!seen.translated.empty()) {
    finding.verdict = Verdict::warn;
    finding.summary = fmt::format("the IOMMU translates addresses of {}", listed(seen.translated));
    finding.remedy =
        "boot with iommu=pt on the kernel's command line (GRUB_CMDLINE_LINUX, then update-grub), or the IOMMU off in "
        "the BIOS; in a virtual machine this is the host's to do";
  } else if (!seen.unknown.empty() || !is_iommu_known) {
    finding.summary = "whether the IOMMU translates cannot be read";
  } else {
    finding.verdict = Verdict::ok;
    finding.summary = seen.num_identity > 0 ? "the IOMMU passes addresses of GPUs and NICs through"
                      : has_iommu           ? "the IOMMU does not have GPUs and NICs"
                                            : "no IOMMU is on";
  }
  return finding;
}

}  // namespace

Findings check_iommu(const Machine& machine) {
  Seen seen;
  std::size_t num_devices = 0;
  for (const topology::PciDevice& device : machine.pci().devices) {
    if (!topology::is_gpu(device) && !topology::is_rdma_adapter(device)) continue;
    ++num_devices;
    look_at(machine, device, seen);
  }
  if (num_devices == 0) return nothing_to_check("no GPU and no RDMA adapter");
  const auto iommus = machine.root().list("/sys/class/iommu");
  const bool is_known = iommus.ok() || iommus.access == facts::Access::missing;
  Finding finding = judge(seen, is_known, !iommus.names.empty());
  finding.evidence.push_back(iommus.ok() ? fmt::format("/sys/class/iommu: {} units", iommus.names.size())
                                         : facts::evidence_of("/sys/class/iommu", {iommus.access}));
  finding.evidence.insert(finding.evidence.end(), seen.evidence.begin(), seen.evidence.end());
  read_as_evidence(machine.root(), "/proc/cmdline", finding.evidence);
  return {finding};
}

}  // namespace halyard::diagnose::pcie
