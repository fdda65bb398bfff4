// versions: what is installed, and pairs of versions that are known not to work together or to close the direct path.
// Each row of the table names where it was learned (docs/doctor/versions.md).
#include <fmt/format.h>

#include <array>

#include "diagnose/software/checks.hpp"
#include "diagnose/software/installed.hpp"

namespace halyard::diagnose::software {
namespace {

struct Pair {
  bool (*is_there)(const Installed& installed, bool has_gpu);
  Verdict verdict;
  std::string_view summary;
  std::string_view remedy;
};

// UCX reads GPU memory's dma-buf from 1.14 on (its NEWS), ibv_reg_dmabuf_mr came with rdma-core 34, the kernel's half
// with Linux 5.12.
bool is_without_dma_buf(const Installed& i, const Version& version, const Version& first) {
  return !i.has_peermem && version.is_before(first);
}

constexpr std::array kPairs{
    Pair{[](const Installed& i, bool) {
           return i.driver.is_known() && i.cuda_driver.is_known() && i.driver != i.cuda_driver;
         },
         Verdict::fail, "the NVIDIA kernel module and libcuda are of different versions: every CUDA call fails",
         "reboot, or reload the modules, after a driver update ('modprobe -r nvidia_uvm nvidia_drm nvidia_modeset "
         "nvidia; "
         "modprobe nvidia'); in a container let the NVIDIA container toolkit mount the node's libcuda"},
    Pair{[](const Installed& i, bool has_gpu) {
           return has_gpu && is_without_dma_buf(i, i.ucx, {{1, 14}});
         },
         Verdict::fail, "UCX before 1.14 registers GPU memory through nvidia_peermem only, and that is not loaded",
         "modprobe nvidia_peermem, or install UCX 1.14 or later"},
    Pair{[](const Installed& i, bool has_gpu) {
           return has_gpu && is_without_dma_buf(i, i.rdma_core, {{34, 0}});
         },
         Verdict::fail, "rdma-core before 34 cannot register a dma-buf, and nvidia_peermem is not loaded",
         "modprobe nvidia_peermem, or install rdma-core 34 or later"},
    Pair{[](const Installed& i, bool has_gpu) {
           return has_gpu && is_without_dma_buf(i, i.kernel, {{5, 12}});
         },
         Verdict::fail, "Linux before 5.12 cannot give a dma-buf to a NIC, and nvidia_peermem is not loaded",
         "modprobe nvidia_peermem, or boot Linux 5.12 or later"},
    Pair{[](const Installed& i, bool has_gpu) {
           return has_gpu && i.ucx.is_before({{1, 14, 1}}) && i.cuda.is_known() && !i.cuda.is_before({{12, 0}});
         },
         Verdict::warn,
         "UCX before 1.14.1 was not made for CUDA 12: memory of cudaMallocAsync and of the virtual memory "
         "API is taken for host memory",
         "install UCX 1.14.1 or later"},
    Pair{[](const Installed& i, bool has_gpu) {
           return has_gpu && i.ucx.is_before({{1, 19, 1}}) && i.cuda.is_known() && !i.cuda.is_before({{13, 0}});
         },
         Verdict::warn, "UCX before 1.19.1 was not made for CUDA 13", "install UCX 1.20 or later"},
    Pair{[](const Installed& i, bool has_gpu) {
           return has_gpu && i.ucx.is_before({{1, 22}}) && !i.ucx.is_before({{1, 21}});
         },
         Verdict::warn,
         "UCX 1.21 leaves about 500 MB of GPU memory behind with each connection of a process to itself over CUDA IPC "
         "(openucx/ucx#11854)",
         "install UCX 1.22 or later, or set UCX_TLS=^cuda_ipc where MPI or UCX sends GPU memory to its own process"},
    Pair{[](const Installed& i, bool has_gpu) {
           return has_gpu && i.ucx.is_before({{1, 10}}) && i.cuda.is_before({{11, 2}});
         },
         Verdict::warn,
         "UCX before 1.10 with CUDA before 11.2 fails on GPU memory that somebody else has mapped over CUDA IPC, as "
         "Halyard does (openucx/ucx#3192)",
         "install UCX 1.10 or CUDA 11.2, or later, or set UCX_TLS=^cuda_ipc"}};

std::string line_of(const Installed& installed) {
  const std::pair<std::string_view, const Version*> all[] = {
      {"Linux", &installed.kernel},     {"NVIDIA driver", &installed.driver}, {"libcuda", &installed.cuda_driver},
      {"CUDA", &installed.cuda},        {"rdma-core", &installed.rdma_core},  {"UCX", &installed.ucx},
      {"Open MPI", &installed.open_mpi}};
  std::string line;
  for (const auto& [name, version] : all)
    if (version->is_known()) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", name, text_of(*version));
  return line;
}

}  // namespace

Findings check_versions(const Machine& machine) {
  const Installed installed = read_installed(machine.root());
  const std::string line = line_of(installed);
  if (line.empty()) return {{"", "", Verdict::unknown, "no version of anything can be read", installed.evidence, ""}};
  Findings findings;
  for (const Pair& pair : kPairs)
    if (pair.is_there(installed, machine.has_gpu()))
      findings.push_back(
          {"", "", pair.verdict, std::string(pair.summary), installed.evidence, std::string(pair.remedy)});
  if (findings.empty()) findings.push_back({"", "", Verdict::ok, line, installed.evidence, ""});
  return findings;
}

}  // namespace halyard::diagnose::software
