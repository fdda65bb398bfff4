// What UCX says of itself: see probe.hpp.
#include "transport/ucx/probe.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include "halyard/status.hpp"

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

}  // namespace

ConfigHandle read_config() {
  ucp_config_t* read = nullptr;
  const ucs_status_t status = ucp_config_read(nullptr, nullptr, &read);
  if (status != UCS_OK) {
    throw Error(StatusCode::not_supported,
                std::string("read the UCX configuration: ucp_config_read: ") + ucs_status_string(status));
  }
  ConfigHandle config(read);
  // Of the on-node transports only posix can tell that a peer died, and only when asked to; without this an endpoint
  // with error handling goes over tcp, even on one node. Memory must then come from posix for its peers to map it,
  // where UCX's own first choice is sysv (all seen with 1.13.1, see docs/gotchas.md).
  if (std::getenv("UCX_POSIX_ERROR_HANDLING") == nullptr) set_default(*config, "UCX_MM_ERROR_HANDLING", "y");
  set_default(*config, "UCX_ALLOC_PRIO", "md:posix,md:sysv,huge,thp,md:*,mmap,heap");
  return config;
}

Ordering ordering_under(const ucp_config_t& config) {
  // UCX's first protocol engine (the default up to 1.15) sends all puts of a key over one lane, so that the fence, a mark
  // in that lane, costs nothing and suffices. The second engine (from 1.16 on) may send a large put over several lanes;
  // its fence is a blocking flush of the whole worker (ucp_worker_fence_strong), and one that does not block is better.
  const std::string text = printed([&](std::FILE* stream) {
    ucp_config_print(&config, stream, nullptr, UCS_CONFIG_PRINT_CONFIG);
  });
  const bool has_one_lane = contains(text, "PROTO_ENABLE=n\n") &&
                            (!contains(text, "MAX_RMA_RAILS=") || contains(text, "MAX_RMA_RAILS=1\n"));
  const bool fence_may_block = contains(text, "FENCE_MODE=strong\n") || contains(text, "FENCE_MODE=ep_based\n");
  return has_one_lane && !fence_may_block ? Ordering::fence : Ordering::flush;
}

std::string describe_resources(ucp_context_h context) {
  std::istringstream report(printed([&](std::FILE* stream) { ucp_context_print_info(context, stream); }));
  std::map<std::string, std::string> devices_by_transport;
  for (std::string line; std::getline(report, line);) {
    const auto name = line.rfind("-- ");
    const auto slash = line.rfind('/');
    if (!contains(line, "resource") || name == std::string::npos || slash == std::string::npos || slash < name) continue;
    auto& devices = devices_by_transport[line.substr(name + 3, slash - name - 3)];
    const std::string device = line.substr(slash + 1);
    if (device.starts_with("memory")) continue;
    devices = joined(devices, " and ", device);
  }
  std::string list;
  for (const auto& [transport, devices] : devices_by_transport) {
    list = joined(list, ", ", devices.empty() ? transport : transport + " on " + devices);
  }
  return std::string("ucx ") + ucp_get_version_string() + (list.empty() ? "" : ": ") + list;
}

std::string transport_of(ucp_ep_h endpoint) {
  const std::string report = printed([&](std::FILE* stream) { ucp_ep_print_info(endpoint, stream); });
  const auto put = report.find(" put[");
  if (put != std::string::npos) {
    const std::string index = report.substr(put + 5, report.find(']', put) - put - 5);
    const auto lane = report.find("lane[" + index + "]:");
    if (lane != std::string::npos) return transport_of_lane(report, lane);
  }
  // No lane can put: UCX emulates it with active messages over the first lane that carries those.
  for (auto lane = report.find("lane["); lane != std::string::npos; lane = report.find("lane[", lane + 1)) {
    if (contains(report.substr(lane, report.find('\n', lane) - lane), " am ")) return transport_of_lane(report, lane);
  }
  return {};
}

}  // namespace halyard::transport::ucx
