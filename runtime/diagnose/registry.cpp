// See check.hpp. The table is the order of the report.
#include <algorithm>
#include <array>
#include <exception>

#include "diagnose/check.hpp"
#include "diagnose/container/checks.hpp"
#include "diagnose/environment/checks.hpp"
#include "diagnose/gpu/checks.hpp"
#include "diagnose/host/checks.hpp"
#include "diagnose/launch/checks.hpp"
#include "diagnose/nic/checks.hpp"
#include "diagnose/pcie/checks.hpp"
#include "diagnose/soft_roce/checks.hpp"
#include "diagnose/software/checks.hpp"

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
    Check{"soft-roce", "RDMA in software is complete", soft_roce::check_pieces},
    Check{"versions", "what is installed works together", software::check_versions},
    Check{"cuda-aware", "UCX and MPI take pointers to GPU memory", software::check_cuda_aware},
    Check{"rdma-nodes", "the RDMA devices can be opened", container::check_rdma_nodes},
    Check{"memlock", "enough memory may be locked", host::check_memlock},
    Check{"namespaces", "ranks of one node share its namespaces", container::check_namespaces},
    Check{"cross-memory", "ranks of one node may read each other's memory", container::check_cross_memory},
    Check{"shm", "/dev/shm is large enough", host::check_shared_memory},
    Check{"huge-pages", "who asks for huge pages gets them", host::check_huge_pages},
    Check{"cpu-governor", "a waiting core keeps its clock", host::check_governor},
    Check{"c-states", "an idle core wakes up soon", host::check_c_states},
    Check{"aspm", "PCIe links do not fall asleep", host::check_aspm},
    Check{"launch", "the tasks of the job can find each other", launch::check_launch},
    Check{"env-names", "every variable set is read by its library", environment::check_names},
    Check{"env-values", "every variable set has a value that its library takes", environment::check_values},
    Check{"env-detours", "no setting takes data off the direct path", environment::check_detours},
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
