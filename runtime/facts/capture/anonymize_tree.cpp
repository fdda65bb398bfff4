// What of a captured tree is kept, and through which replacement it goes. See anonymizer.hpp.
#include <algorithm>
#include <array>

#include "facts/capture/anonymizer.hpp"
#include "facts/text.hpp"

namespace halyard::facts {
namespace {

// Families that checks look at. Of Slurm's many only those that say how many tasks were meant: the others name users,
// accounts, nodes and folders.
constexpr std::array<std::string_view, 13> kFamilies{"NCCL_",     "UCX_",   "OMPI_MCA_", "HALYARD_", "CUDA_",
                                                     "NVIDIA_",   "MLX5_",  "RDMAV_",    "FI_",      "PMIX_VERSION",
                                                     "PRTE_MCA_", "I_MPI_", "MPICH_GPU_"};
constexpr std::array<std::string_view, 17> kNames{
    "SLURM_NTASKS",   "SLURM_NPROCS",         "SLURM_PROCID",         "SLURM_LOCALID", "SLURM_NNODES",
    "SLURM_MPI_TYPE", "SLURM_STEP_NUM_TASKS", "SLURM_CPU_BIND",       "SLURM_GPUS",    "SLURM_GPUS_PER_TASK",
    "SLURM_NODEID",   "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE",      "PMI_RANK",
    "PMIX_RANK",      "OMP_NUM_THREADS"};
constexpr std::array<std::string_view, 8> kOfBoot{"root",   "BOOT_IMAGE",       "ip",    "ip6", "nfsroot",
                                                  "initrd", "systemd.hostname", "resume"};

std::string of_environment(std::string_view text, Anonymizer& anonymizer) {
  std::string kept;
  for (const std::string_view entry : split(text, std::string_view("\0", 1)))
    if (is_kept_variable(entry.substr(0, entry.find('=')))) kept += anonymizer.text(entry) + '\0';
  return kept;
}

std::string of_command_line(std::string_view text, Anonymizer& anonymizer) {
  std::string kept;
  for (const std::string_view word : split(trimmed(text))) {
    const std::string_view key = word.substr(0, word.find('='));
    bool is_personal = word.find('/') != std::string_view::npos || word.find('@') != std::string_view::npos;
    for (const std::string_view name : kOfBoot) is_personal = is_personal || key == name;
    if (!is_personal) kept += (kept.empty() ? "" : " ") + anonymizer.text(word);
  }
  return kept + "\n";
}

// A device's serial number (extended capability 3) is often made of its MAC address or GUID.
std::string of_config_space(std::string text) {
  constexpr std::size_t kFirst = 0x100, kBytes = 4096;
  const auto byte = [&](std::size_t at) { return static_cast<unsigned>(static_cast<unsigned char>(text[at])); };
  text.resize(std::min(text.size(), kBytes));
  std::size_t at = kFirst;
  for (int i = 0; i < 256 && at >= kFirst && at + 12 <= text.size(); ++i) {
    if ((byte(at) | byte(at + 1) << 8) == 3) std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at) + 4, 8, '\0');
    at = (byte(at + 2) >> 4 | byte(at + 3) << 4) & 0xffcU;
  }
  return text;
}

std::string of_file(std::string_view path, const TreeRoot::Node& node, Anonymizer& anonymizer) {
  if (path.starts_with("/proc/") && path.ends_with("/environ")) return of_environment(node.text, anonymizer);
  if (path == "/proc/sys/kernel/hostname" || path == "/etc/hostname") return "host1\n";
  if (path == "/proc/cmdline") return of_command_line(node.text, anonymizer);
  if (path.ends_with("/config")) return of_config_space(node.text);
  // Memory addresses and sets of capabilities have 16 digits as GUIDs do, and nothing of these files names anybody.
  if (path.ends_with("/resource") || (path.starts_with("/proc/") && path.ends_with("/status"))) return node.text;
  return anonymizer.text(node.text);
}

}  // namespace

bool is_kept_variable(std::string_view name) {
  for (const std::string_view family : kFamilies)
    if (name.starts_with(family)) return true;
  for (const std::string_view known : kNames)
    if (name == known) return true;
  return false;
}

void anonymize(const TreeRoot& tree, TreeRoot& result) {
  Anonymizer anonymizer;
  anonymizer.add_host(tree.read("/proc/sys/kernel/hostname").text);
  anonymizer.add_host(tree.read("/etc/hostname").text);
  for (const auto& [path, original] : tree.nodes()) {
    TreeRoot::Node node = original;
    if (node.kind == Kind::file) node.text = of_file(path, node, anonymizer);
    if (node.kind == Kind::link) node.text = anonymizer.path(node.text);
    result.put(anonymizer.path(path), std::move(node));
  }
}

}  // namespace halyard::facts
