// What UCX says of itself: see probe.hpp.
#include "transport/ucx/probe.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "halyard/status.hpp"
#include "memory/locked_memory.hpp"

namespace halyard::transport::ucx {
namespace {

/// What `print` writes to a FILE, as text; UCX has no other form for its reports.
template <class Print>
std::string printed(Print print) {
  char* data = nullptr;
  std::size_t size = 0;
  std::FILE* stream = open_memstream(&data, &size);
  if (stream == nullptr) return {};
  print(stream);
  std::fclose(stream);
  std::string text(data, size);
  std::free(data);
  return text;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Sets what the user did not. UCX ignores a name that it does not know, so the answer is of no use.
void set_default(ucp_config_t& config, const char* variable, const char* value) {
  constexpr std::size_t kPrefix = 4;  // "UCX_"
  if (std::getenv(variable) == nullptr) (void)ucp_config_modify(&config, variable + kPrefix, value);
}

std::string joined(const std::string& list, const char* separator, const std::string& item) {
  return list.empty() ? item : list + separator + item;
}

/// The transport in "lane[3]:  4:posix/memory.0 …"; `at` is where "lane[" stands.
std::string transport_of_lane(const std::string& report, std::size_t at) {
  const auto colon = report.find(':', report.find("]:", at) + 2);
  const auto slash = report.find('/', colon);
  if (colon == std::string::npos || slash == std::string::npos) return {};
  return report.substr(colon + 1, slash - colon - 1);
}

/// The devices of each transport; transports within the node have none.
std::map<std::string, std::string> resources_of(ucp_context_h context) {
  std::istringstream report(printed([&](std::FILE* stream) { ucp_context_print_info(context, stream); }));
  std::map<std::string, std::string> devices_by_transport;
  for (std::string line; std::getline(report, line);) {
    const auto name = line.rfind("-- ");
    const auto slash = line.rfind('/');
    if (!contains(line, "resource") || name == std::string::npos || slash == std::string::npos || slash < name)
      continue;
    auto& devices = devices_by_transport[line.substr(name + 3, slash - name - 3)];
    const std::string device = line.substr(slash + 1);
    if (!device.starts_with("memory")) devices = joined(devices, " and ", device);
  }
  return devices_by_transport;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "all" : value;
}

/// Of a transport that receives into registered memory.
bool needs_registration(const std::pair<const std::string, std::string>& resource) {
  const std::string& transport = resource.first;
  return transport.starts_with("rc_") || transport.starts_with("ud_") || transport.starts_with("dc_");
}

/// UCX 1.13 does not end when it cannot register its receive buffers: it tries again for ever, with an error line each
/// time (docs/gotchas.md).
void check_registration(ucp_context_h context) {
  constexpr std::size_t kReceiveBuffers = 1 << 20;  // about what ud_verbs begins with
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  params.length = kReceiveBuffers;
  params.flags = UCP_MEM_MAP_ALLOCATE;
  ucp_mem_h mapped = nullptr;
  const ucs_status_t status = ucp_mem_map(context, &params, &mapped);
  if (status != UCS_OK)
    throw Error(StatusCode::not_supported, "open UCX: register " + std::to_string(kReceiveBuffers) +
                                               " bytes with the network card: ucp_mem_map: " +
                                               ucs_status_string(status) + "; " + memory::locked_memory_text());
  ucp_mem_unmap(context, mapped);
}

}  // namespace

ConfigHandle read_config() {
  // UCX opens posix segments through /proc/<pid>/fd, which nobody may do to a process that is not dumpable (containers,
  // changed credentials; field case I04); by their names in /dev/shm they can still be had. 1.13 takes this from the
  // environment only.
  if (prctl(PR_GET_DUMPABLE) != 1) setenv("UCX_POSIX_USE_PROC_LINK", "n", 0);
  ucp_config_t* read = nullptr;
  const ucs_status_t status = ucp_config_read(nullptr, nullptr, &read);
  if (status != UCS_OK) {
    throw Error(StatusCode::not_supported,
                std::string("read the UCX configuration: ucp_config_read: ") + ucs_status_string(status));
  }
  ConfigHandle config(read);
  return config;
}

void notice_failures_on_node(ucp_config_t& config) {
  // Endpoints with error handling avoid posix and sysv, and use tcp even on one node, unless this is set (1.13.1).
  if (std::getenv("UCX_POSIX_ERROR_HANDLING") != nullptr || std::getenv("UCX_SYSV_ERROR_HANDLING") != nullptr) return;
  set_default(config, "UCX_MM_ERROR_HANDLING", "y");
}

void check_usable(ucp_context_h context) {
  const auto resources = resources_of(context);
  const auto is_self = [](const auto& resource) { return resource.first == "self"; };
  if (std::ranges::all_of(resources, is_self) && !resources.empty())
    throw Error(StatusCode::not_supported, "open UCX: of UCX_TLS=" + variable("UCX_TLS") +
                                               " on UCX_NET_DEVICES=" + variable("UCX_NET_DEVICES") +
                                               " only 'self' is there, which reaches no other rank; 'ucx_info -d' "
                                               "shows what is there, 'rdma link' whether its links are up, "
                                               "'halyard doctor --check env-detours' what the variables do");
  if (std::ranges::any_of(resources, needs_registration)) check_registration(context);
}

bool has_on_node_transport(ucp_context_h context) {
  const auto resources = resources_of(context);
  return resources.contains("posix") || resources.contains("sysv");
}

Ordering ordering_under(const ucp_config_t& config) {
  // UCX's first protocol engine (the default up to 1.15) sends all puts of a key over one lane, so that the fence, a
  // mark in that lane, costs nothing and suffices. The second engine (from 1.16 on) may send a large put over several
  // lanes; its fence is a blocking flush of the whole worker (ucp_worker_fence_strong), and one that does not block is
  // better.
  const std::string text =
      printed([&](std::FILE* stream) { ucp_config_print(&config, stream, nullptr, UCS_CONFIG_PRINT_CONFIG); });
  const bool has_one_lane =
      contains(text, "PROTO_ENABLE=n\n") && (!contains(text, "MAX_RMA_RAILS=") || contains(text, "MAX_RMA_RAILS=1\n"));
  const bool fence_may_block = contains(text, "FENCE_MODE=strong\n") || contains(text, "FENCE_MODE=ep_based\n");
  return has_one_lane && !fence_may_block ? Ordering::fence : Ordering::flush;
}

std::string describe_resources(ucp_context_h context) {
  std::string list;
  for (const auto& [transport, devices] : resources_of(context)) {
    list = joined(list, ", ", devices.empty() ? transport : transport + " on " + devices);
  }
  return std::string("ucx ") + ucp_get_version_string() + (list.empty() ? "" : ": ") + list;
}

Lane lane_of(ucp_ep_h endpoint) {
  // UCX emulates a put over a transport that has none by an active message which the target acknowledges; when the
  // connection is lost while such puts still come in, the acknowledgement fails and UCX aborts the target's process
  // ("unexpected error: Endpoint timeout" from ucp_rma_sw_send_cmpl; seen with 1.13.1, the call is the same in 1.20).
  const std::set<std::string> without_put{"tcp", "ud_verbs", "ud_mlx5", "cma", "knem"};
  const std::string report = printed([&](std::FILE* stream) { ucp_ep_print_info(endpoint, stream); });
  Lane lane;
  for (auto at = report.find("lane["); at != std::string::npos; at = report.find("lane[", at + 1)) {
    const std::string transport = transport_of_lane(report, at);
    if (transport.empty()) continue;
    if (!without_put.contains(transport)) return {transport, true};
    if (lane.transport.empty()) lane.transport = transport;
  }
  return lane;
}

bool can_put_into(const Lane& lane, ucp_rkey_h key, std::uint64_t address) {
  if (lane.transport != "posix" && lane.transport != "sysv") return lane.can_put;
  void* mapped = nullptr;
  return ucp_rkey_ptr(key, address, &mapped) == UCS_OK;
}

}  // namespace halyard::transport::ucx
