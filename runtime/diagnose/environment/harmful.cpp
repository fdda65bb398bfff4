// See harmful.hpp. What a row says of a library holds for NCCL 2.28, UCX 1.13 to 1.20, Open MPI 4.1 and 5.0.
#include "diagnose/environment/harmful.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "facts/text.hpp"

namespace halyard::diagnose {
namespace {

using Matches = bool (*)(std::string_view value);

bool is_any_of(std::string_view value, std::string_view words) {
  const auto list = facts::split(words, ", ");
  return std::any_of(list.begin(), list.end(), [&](std::string_view word) { return same_word(word, value); });
}

bool is_on(std::string_view value) { return is_any_of(value, "1 y yes on true"); }
bool is_off(std::string_view value) { return is_any_of(value, "0 n no off false"); }
bool is_none(std::string_view value) { return value == "none"; }
bool is_loc(std::string_view value) { return value == "LOC" || value == "0"; }
bool is_socket(std::string_view value) { return is_any_of(value, "socket"); }
bool is_infinite(std::string_view value) { return is_any_of(value, "inf"); }
bool is_active_message(std::string_view value) { return value == "am"; }
bool is_ob1(std::string_view value) { return value == "ob1"; }

// A list of names, or after ^ of those that are left out: is one of `any` in use?
bool lets_in(std::string_view list, std::string_view any) {
  const bool is_exclusion = list.starts_with('^');
  const auto names = facts::split(is_exclusion ? list.substr(1) : list, ", ");
  const auto wanted = facts::split(any, ", ");
  const auto is_named = [&](std::string_view want) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return name == want; });
  };
  if (is_exclusion) return !is_named(wanted.front());
  return std::any_of(wanted.begin(), wanted.end(), is_named);
}

bool is_without_rdma(std::string_view value) {
  return !lets_in(value, "ib all rc rc_v rc_x rc_verbs rc_mlx5 dc dc_x dc_mlx5 ud ud_v ud_x ud_verbs ud_mlx5 srd");
}
bool is_without_cuda(std::string_view value) {
  return !lets_in(value, "cuda all cuda_copy cuda_ipc gdr_copy rocm rocm_copy rocm_ipc");
}
bool is_without_ucx(std::string_view value) { return value.starts_with('^') && !lets_in(value, "ucx"); }
bool is_without_peer(std::string_view value) { return !lets_in(value, "peer"); }
bool is_without_verbs_and_ucx(std::string_view value) { return !lets_in(value, "verbs") && !lets_in(value, "ucx"); }

// UCX names an RDMA port with its number: mlx5_0:1. What has none is an interface of the IP network.
bool is_ip_interface(std::string_view value) {
  const auto names = facts::split(value, ", ");
  return !names.empty() && std::all_of(names.begin(), names.end(), [](std::string_view name) {
    return name != "all" && name.find(':') == std::string_view::npos && !name.starts_with('^');
  });
}

struct Row {
  Harm harm;
  std::string_view variable;
  Matches matches;
  std::string_view what;
  std::string_view remedy;  // empty: unset it
};

constexpr Harm kOff = Harm::direct_path_off;
constexpr Harm kGpu = Harm::gpu_path_off;
constexpr Harm kSlow = Harm::slower;

constexpr std::array kRows{
    Row{kGpu, "NCCL_P2P_DISABLE", is_on, "GPUs of one node exchange through host memory instead of NVLink or PCIe", ""},
    Row{kGpu, "NCCL_P2P_LEVEL", is_loc, "no two GPUs count as near enough for peer access", ""},
    Row{kGpu, "NCCL_NET_GDR_LEVEL", is_loc, "no NIC counts as near enough to read GPU memory; all is staged", ""},
    Row{kOff, "NCCL_IB_DISABLE", is_on, "NCCL uses TCP sockets instead of RDMA", ""},
    Row{kOff, "NCCL_NET", is_socket, "NCCL uses TCP sockets instead of RDMA", ""},
    Row{kGpu, "NCCL_DMABUF_ENABLE", is_off, "GPU memory reaches the NIC only where nvidia_peermem is loaded", ""},
    Row{kOff, "NCCL_SHM_DISABLE", is_on, "ranks of one node without peer access go over the network", ""},
    Row{kSlow, "NCCL_NET_GDR_READ", is_off, "what is sent is copied to host memory first; what is received is not", ""},
    Row{kOff, "UCX_TLS", is_without_rdma,
        "no RDMA transport is left, so other nodes are reached over TCP or not at all", "unset UCX_TLS, or add rc"},
    Row{kGpu, "UCX_TLS", is_without_cuda, "no GPU transport is left: a device pointer crashes the program or is staged",
        "unset UCX_TLS, or add cuda"},
    Row{kGpu, "UCX_IB_GPU_DIRECT_RDMA", is_off, "the NIC does not touch GPU memory; all is staged", ""},
    Row{kOff, "UCX_NET_DEVICES", is_ip_interface, "these are interfaces of the IP network, so UCX uses TCP",
        "name RDMA ports, as UCX_NET_DEVICES=mlx5_0:1 ('ucx_info -d' lists them), or unset it"},
    Row{kOff, "UCX_RNDV_SCHEME", is_active_message, "large messages are copied in pieces instead of moved by RDMA", ""},
    Row{kOff, "UCX_RNDV_THRESH", is_infinite, "large messages are copied in pieces instead of moved by RDMA", ""},
    Row{kOff, "UCX_ZCOPY_THRESH", is_infinite, "every message is copied through bounce buffers", ""},
    Row{kSlow, "UCX_MEMTYPE_CACHE", is_off, "every message asks the driver what kind of memory it has", ""},
    Row{kSlow, "UCX_RCACHE_ENABLE", is_off, "memory is registered with the NIC anew for every message", ""},
    Row{kSlow, "UCX_MEM_EVENTS", is_off, "UCX does not hear of freed memory: registrations are not kept, or go stale",
        ""},
    Row{kSlow, "UCX_CUDA_IPC_CACHE", is_off, "a peer's GPU memory is mapped anew for every message", ""},
    Row{kOff, "OMPI_MCA_pml", is_ob1, "Open MPI does not use UCX, so no RDMA of GPU memory by it",
        "set OMPI_MCA_pml=ucx"},
    Row{kOff, "OMPI_MCA_pml", is_without_ucx, "Open MPI does not use UCX, so no RDMA of GPU memory by it",
        "set OMPI_MCA_pml=ucx"},
    Row{kGpu, "OMPI_MCA_opal_cuda_support", is_off, "Open MPI takes every pointer for host memory", ""},
    Row{kGpu, "OMPI_MCA_mpi_cuda_support", is_off, "Open MPI takes every pointer for host memory", ""},
    Row{kGpu, "OMPI_MCA_btl_smcuda_use_cuda_ipc", is_off, "GPUs of one node exchange through host memory", ""},
    Row{kGpu, "OMPI_MCA_btl_openib_want_cuda_gdr", is_off, "the NIC does not touch GPU memory; all is staged", ""},
    Row{kSlow, "OMPI_MCA_btl_vader_single_copy_mechanism", is_none, "messages within a node are copied twice", ""},
    Row{kSlow, "OMPI_MCA_mpi_leave_pinned", is_off, "memory is registered with the NIC anew for every message", ""},
    Row{kGpu, "HALYARD_PATH", is_without_peer, "GPUs of one node exchange through host memory",
        "leave peer in HALYARD_PATH"},
    Row{kOff, "HALYARD_PATH", is_without_verbs_and_ucx,
        "neither verbs nor ucx may be used: other nodes are reached by MPI", "leave verbs or ucx in HALYARD_PATH"},
    Row{kGpu, "HALYARD_DEVICE", is_none, "Halyard does not look for GPUs", ""},
    Row{kSlow, "CUDA_LAUNCH_BLOCKING", is_on, "every kernel launch waits for its end: nothing overlaps", ""}};

// Where a list has only transports of the open network, Open MPI's older engine sends by them.
constexpr std::string_view kRdmaBtls = "openib uct ofi usnic ugni portals4";

std::string_view value_of(const Variables& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Variable& variable) { return variable.name == name; });
  return found == all.end() ? std::string_view{} : found->value;
}

bool is_tcp_btl(const Variable& variable, const Variables& all) {
  if (variable.name != "OMPI_MCA_btl" || variable.value.starts_with('^')) return false;
  const auto pml = value_of(all, "OMPI_MCA_pml");
  return pml != "ucx" && pml != "cm" && lets_in(variable.value, "tcp") && !lets_in(variable.value, kRdmaBtls);
}

}  // namespace

std::vector<Detour> detours(const Variables& variables) {
  std::vector<Detour> found;
  for (const Variable& variable : variables) {
    if (variable.value.empty()) continue;
    const std::string setting = fmt::format("{}={}", variable.name, variable.value);
    for (const Row& row : kRows)
      if (row.variable == variable.name && row.matches(variable.value))
        found.push_back({row.harm, setting, std::string(row.what),
                         row.remedy.empty() ? fmt::format("unset {}", variable.name) : std::string(row.remedy)});
    if (is_tcp_btl(variable, variables))
      found.push_back({kOff, setting, "where Open MPI does not choose UCX by itself, other nodes are reached over TCP",
                       "unset OMPI_MCA_btl and set OMPI_MCA_pml=ucx"});
  }
  return found;
}

}  // namespace halyard::diagnose
