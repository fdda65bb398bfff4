// See check.hpp. The table is the order of the report.
#include <algorithm>
#include <array>
#include <exception>

#include "diagnose/check.hpp"
#include "diagnose/gpu/checks.hpp"
#include "diagnose/nic/checks.hpp"
#include "diagnose/pcie/checks.hpp"

namespace halyard::diagnose {
namespace {

constexpr std::array kChecks{
    Check{"gpu", "NVIDIA GPUs and their driver are there", gpu::check_present},
    Check{"gpu-visible", "this process is offered the GPUs", gpu::check_visible},
    Check{"nic", "an RDMA adapter and its driver are there", nic::check_present},
    Check{"port", "RDMA ports are up, at full rate and MTU", nic::check_ports},
    Check{"gid", "RoCE ports have an address that others can reach", nic::check_gids},
    Check{"peermem", "GPU memory can be registered with the NIC", gpu::check_peermem},
    Check{"rails", "each GPU has a NIC near it", pcie::check_rails},
    Check{"acs", "bridges let peers talk without the CPU", pcie::check_acs},
    Check{"iommu", "the IOMMU does not stand between peers", pcie::check_iommu},
    Check{"bar1", "a NIC can see all of a GPU's memory", gpu::check_bar1},
    Check{"pcie-link", "PCIe links run at full speed and width", pcie::check_links},
    Check{"relaxed-ordering", "PCIe writes may overtake each other", pcie::check_relaxed_ordering},
    Check{"firmware", "adapters' firmware has no known trouble", nic::check_firmware},
    Check{"nic-irq", "adapters' interrupts go to near CPUs", nic::check_interrupts},
    Check{"cxl", "memory that is farther than it looks is named", pcie::check_cxl},
};

// Texts quote what was read. Whatever that was, it must not move a terminal's cursor or break a line of the report.
void make_printable(std::string& text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
}

void make_printable(Finding& finding) {
  make_printable(finding.subject);
  make_printable(finding.summary);
  make_printable(finding.remedy);
  for (std::string& item : finding.evidence) make_printable(item);
}

}  // namespace

std::span<const Check> all_checks() { return kChecks; }

const Check* find_check(std::string_view id) {
  const auto found = std::find_if(kChecks.begin(), kChecks.end(), [&](const Check& check) { return check.id == id; });
  return found == kChecks.end() ? nullptr : &*found;
}

Findings run(const Check& check, const Machine& machine) {
  Findings findings;
  try {
    findings = check.run(machine);
    if (findings.empty()) findings.push_back({"", "", Verdict::unknown, "the check says nothing", {}, ""});
  } catch (const std::exception& error) {
    findings = {{"", "", Verdict::unknown, "the check could not be finished", {error.what()}, ""}};
  }
  for (Finding& finding : findings) {
    finding.check = check.id;
    make_printable(finding);
  }
  return findings;
}

Findings run_all(const Machine& machine) {
  Findings all;
  for (const Check& check : kChecks)
    for (Finding& finding : run(check, machine)) all.push_back(std::move(finding));
  return all;
}

}  // namespace halyard::diagnose
