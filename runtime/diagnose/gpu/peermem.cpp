// peermem: can GPU memory be registered with the NIC? By dma-buf, by nvidia_peermem, or by its ancestor nv_peer_mem.
// Only a trial registration tells (field case K01): a module may be loaded and not in use. What /sys and /proc say
// explains the trial, and stands in for it, with less certainty, where none could be made.
#include <fmt/format.h>

#include <array>

#include "diagnose/gpu/checks.hpp"
#include "diagnose/words.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::gpu {
namespace {

constexpr const char* kTrial = "trial register-gpu-page";

struct Static {
  bool has_peermem = false;
  bool has_old_name = false;
  bool is_in_use = false;  // the RDMA core lists it as a memory peer
  bool is_dma_buf_likely = false;
  bool is_readable = false;
  std::vector<std::string> evidence;
};

// "5.14.0-362.el9": at least major.minor?
bool is_kernel_at_least(std::string_view release, std::int64_t major, std::int64_t minor) {
  const auto parts = facts::split(release, ".-");
  if (parts.size() < 2) return false;
  const auto first = facts::number_in(parts[0]);
  const auto second = facts::number_in(parts[1]);
  return first && second && (*first > major || (*first == major && *second >= minor));
}

bool is_loaded(const facts::Root& root, const std::string& module, std::vector<std::string>& evidence) {
  const std::string folder = "/sys/module/" + module;
  bool is_there = root.exists(folder);
  const auto modules = root.read("/proc/modules");
  for (const std::string_view line : facts::lines_of(modules.text))
    is_there = is_there || line.starts_with(module + " ");
  evidence.push_back(fmt::format("module {}: {}", module, is_there ? "loaded" : "not loaded"));
  return is_there;
}

// OFED's RDMA core lists who offered itself; the kernel's own has no such list and takes dma-buf only.
bool is_memory_peer(const facts::Root& root, std::vector<std::string>& evidence) {
  static constexpr std::array kPlaces{"/sys/kernel/mm/memory_peers/nv_mem", "/sys/kernel/mm/memory_peers/nv_mem_nc"};
  for (const char* place : kPlaces) {
    if (!root.exists(place)) continue;
    evidence.push_back(std::string(place) + ": there");
    return true;
  }
  evidence.push_back("/sys/kernel/mm/memory_peers/nv_mem, nv_mem_nc: missing");
  return false;
}

Static look(const facts::Root& root) {
  Static seen;
  seen.is_readable = root.read("/proc/modules").ok() || root.list("/sys/module").ok();
  if (!seen.is_readable) seen.evidence.push_back(facts::evidence_of("/proc/modules", root.read("/proc/modules")));
  seen.has_peermem = is_loaded(root, "nvidia_peermem", seen.evidence);
  seen.has_old_name = is_loaded(root, "nv_peer_mem", seen.evidence);
  seen.is_in_use = is_memory_peer(root, seen.evidence);
  const auto driver = read_as_evidence(root, "/proc/driver/nvidia/version", seen.evidence);
  const auto kernel = read_as_evidence(root, "/proc/sys/kernel/osrelease", seen.evidence);
  seen.is_dma_buf_likely = driver.text.find("Open Kernel Module") != std::string::npos &&
                           is_kernel_at_least(facts::trimmed(kernel.text), 5, 12);
  return seen;
}

Finding of_trial(std::string_view answer) {
  Finding finding;
  const std::string text = facts::quoted_text(answer, 400);
  if (answer.starts_with("dma-buf") || answer.starts_with("nvidia_peermem")) {
    finding.verdict = Verdict::ok;
    finding.summary = fmt::format("a page of GPU memory was registered with the NIC by {}", text);
  } else if (answer.starts_with("none")) {
    finding.verdict = Verdict::fail;
    finding.summary = "a page of GPU memory could not be registered with the NIC: transfers are staged";
  } else {
    finding.summary = fmt::format("the trial registration could not be made: {}", text);
  }
  finding.evidence.push_back(fmt::format("{}: {}", kTrial, text));
  return finding;
}

Finding of_static(const Static& seen) {
  if (!seen.is_readable) return {"", "", Verdict::unknown, "cannot see which modules are loaded", {}, ""};
  if (seen.is_in_use && seen.has_peermem)
    return {"", "", Verdict::ok, "nvidia_peermem is loaded and listed by the RDMA core; not tried", {}, ""};
  if (seen.has_old_name && !seen.has_peermem)
    return {"", "", Verdict::warn, "nv_peer_mem does the work of nvidia_peermem, and is no longer maintained", {}, ""};
  if (seen.has_peermem && !seen.is_dma_buf_likely)
    return {"", "", Verdict::fail, "nvidia_peermem is loaded and not in use: the RDMA core does not list it", {}, ""};
  if (seen.is_dma_buf_likely)
    return {
        "", "", Verdict::unknown, "dma-buf should work (open kernel module, Linux 5.12 or newer); only a trial tells",
        {}, ""};
  return {"",
          "",
          Verdict::fail,
          "nothing lets the NIC register GPU memory: no nvidia_peermem, and dma-buf needs the open kernel module",
          {},
          ""};
}

// What is missing of the way that is nearest to working.
std::string remedy_of(const Static& seen) {
  if (seen.has_old_name && !seen.has_peermem)
    return "rmmod nv_peer_mem; modprobe nvidia_peermem (it comes with the driver since 470); remove the nv_peer_mem "
           "package";
  if (seen.has_peermem && !seen.is_in_use)
    return "the RDMA core was built without peer memory: install MLNX_OFED or DOCA-OFED, then rebuild and reload the "
           "NVIDIA driver; or take dma-buf: NVIDIA's open kernel module 515 or newer on Linux 5.12 or newer";
  if (seen.is_dma_buf_likely) return "run 'halyard doctor --check peermem' on the machine itself, where it can try";
  return "modprobe nvidia_peermem (with MLNX_OFED or DOCA-OFED), or install NVIDIA's open kernel module 515 or newer "
         "on "
         "Linux 5.12 or newer for dma-buf; echo nvidia_peermem > /etc/modules-load.d/nvidia_peermem.conf keeps it";
}

}  // namespace

Findings check_peermem(const Machine& machine) {
  if (!machine.has_gpu() || !machine.has_rdma()) return nothing_to_check("needs an NVIDIA GPU and an RDMA adapter");
  const Static seen = look(machine.root());
  const auto trial = machine.root().output(kTrial);
  Finding finding = trial.ok() ? of_trial(facts::trimmed(trial.text)) : of_static(seen);
  if (!trial.ok()) finding.evidence.push_back(facts::evidence_of(kTrial, trial));
  finding.evidence.insert(finding.evidence.end(), seen.evidence.begin(), seen.evidence.end());
  if (finding.verdict != Verdict::ok) finding.remedy = remedy_of(seen);
  return {finding};
}

}  // namespace halyard::diagnose::gpu
