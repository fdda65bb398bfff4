// See ports.hpp.
#include "transport/verbs/device/ports.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <tuple>

#include "base/nearest_name.hpp"
#include "halyard/status.hpp"

namespace halyard::transport::verbs {
namespace {

constexpr const char* kInfiniband = "/sys/class/infiniband";

// ---- the choice ----------------------------------------------------------------------------------------------------

bool is_usable(const PortFacts& port) { return port.is_active && port.trouble.empty(); }

// Lower is better.
std::tuple<int, double> order_of(const PortFacts& port, const PortWish& wish) {
  const bool is_far = port.numa_node >= 0 && wish.numa_node >= 0 && port.numa_node != wish.numa_node;
  return {is_far ? 1 : 0, -port.gbit_s};
}

[[noreturn]] void refuse_all(const std::vector<PortFacts>& ports) {
  std::string what;
  for (const PortFacts& port : ports)
    what += fmt::format("{}{}: {}", what.empty() ? "" : "; ", name_of(port), port.trouble);
  throw Error(StatusCode::not_supported,
              ports.empty()
                  ? fmt::format("no RDMA device: {} is empty or missing; load the adapter's driver, or make a "
                                "soft-RoCE device: modprobe rdma_rxe; rdma link add rxe0 type rxe netdev eth0; or run "
                                "'halyard doctor --check nic'",
                                kInfiniband)
                  : "no usable RDMA port: " + what);
}

PortFacts nearest(const std::vector<PortFacts>& ports, const PortWish& wish) {
  std::vector<PortFacts> best;
  for (const PortFacts& port : ports) {
    if (!is_usable(port)) continue;
    if (!best.empty() && order_of(port, wish) < order_of(best.front(), wish)) best.clear();
    if (best.empty() || order_of(port, wish) == order_of(best.front(), wish)) best.push_back(port);
  }
  if (best.empty()) refuse_all(ports);
  return best[static_cast<std::size_t>(wish.rank_on_node) % best.size()];
}

PortFacts named(const std::vector<PortFacts>& ports, std::string_view entry) {
  const auto colon = entry.find(':');
  const std::string_view device = entry.substr(0, colon);
  int number = 0;
  if (colon != std::string_view::npos) {
    const char* last = entry.data() + entry.size();
    const auto [end, error] = std::from_chars(entry.data() + colon + 1, last, number);
    if (error != std::errc{} || end != last || number < 1)
      throw Error(
          StatusCode::invalid_argument,
          fmt::format("use RDMA port '{}' (HALYARD_VERBS_DEVICE): expected a device, or device:port as in mlx5_0:1",
                      entry));
  }
  std::vector<std::string_view> devices;
  std::string known;
  for (const PortFacts& port : ports) {
    devices.push_back(port.device);
    known += (known.empty() ? "" : ", ") + name_of(port);
    if (port.device != device || (number != 0 && port.port != number)) continue;
    if (is_usable(port)) return port;
    throw Error(StatusCode::not_supported,
                fmt::format("use RDMA port {} (HALYARD_VERBS_DEVICE): {}", name_of(port), port.trouble));
  }
  throw Error(
      StatusCode::invalid_argument,
      devices.empty()
          ? fmt::format("use RDMA port {} (HALYARD_VERBS_DEVICE): {} is empty or missing; is the driver loaded?", entry,
                        kInfiniband)
          : fmt::format("use RDMA port {} (HALYARD_VERBS_DEVICE): there is none; did you mean {}? There are {}", entry,
                        base::nearest_name(device, devices), known));
}

// ---- what is there -------------------------------------------------------------------------------------------------

int int_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  int value = -1;
  return stream >> value ? value : -1;
}

double gbit_s_of(const ibv_port_attr& port) {
  static constexpr std::pair<int, double> kLane[] = {{1, 2.5}, {2, 5},   {4, 10},  {8, 10},
                                                     {16, 14}, {32, 25}, {64, 50}, {128, 100}};
  static constexpr std::pair<int, int> kWidth[] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};
  double lane = 0;
  int width = 1;
  for (const auto& [code, gbit] : kLane)
    if (code == port.active_speed) lane = gbit;
  for (const auto& [code, lanes] : kWidth)
    if (code == port.active_width) width = lanes;
  return lane * width;
}

void ask_port(ibv_context* context, PortFacts& facts) {
  ibv_port_attr attributes{};
  const int error = ibv_query_port(context, static_cast<std::uint8_t>(facts.port), &attributes);
  if (error != 0) {
    facts.trouble = fmt::format("ibv_query_port: {}", std::strerror(error));
    return;
  }
  facts.gbit_s = gbit_s_of(attributes);
  facts.is_active = attributes.state == IBV_PORT_ACTIVE;
  if (!facts.is_active)
    facts.trouble = fmt::format(
        "the port is {}; bring its link up ('ip link set … up' on Ethernet, the subnet manager on "
        "InfiniBand; 'rdma link' shows it), or run 'halyard doctor --check port'",
        ibv_port_state_str(attributes.state));
}

// /dev/infiniband/uverbs0; nothing when the kernel offers no way to the device from user space.
std::optional<std::filesystem::path> node_of(const std::string& device) {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/class/infiniband_verbs", none)) {
    std::string name;
    std::ifstream(entry.path() / "ibdev") >> name;
    if (name == device) return "/dev/infiniband" / entry.path().filename();
  }
  return std::nullopt;
}

// libibverbs says "no such file" of such a node too.
bool is_forbidden(const std::string& device) {
  const auto node = node_of(device);
  return node && access(node->c_str(), R_OK | W_OK) != 0 && errno == EACCES;
}

std::string why_not_opened(const std::string& device, int error) {
  if (is_forbidden(device)) error = EACCES;
  if (error == EACCES || error == EPERM)
    return "open its node under /dev/infiniband: " + std::string(std::strerror(error)) +
           "; give the user, or the container, access to /dev/infiniband/uverbs*, or run 'halyard doctor --check "
           "rdma-nodes'";
  if (error == ENOENT || error == ENODEV || error == ENXIO)
    return "its node under /dev/infiniband is missing; load ib_uverbs, or pass /dev/infiniband into the container, or "
           "run 'halyard doctor --check rdma-nodes'";
  return fmt::format("ibv_open_device({}): {}", device, std::strerror(error));
}

void ask_device(ibv_device* device, std::vector<PortFacts>& ports) {
  PortFacts facts;
  facts.device = ibv_get_device_name(device);
  facts.numa_node = int_in(std::filesystem::path(kInfiniband) / facts.device / "device/numa_node");
  errno = 0;
  DeviceContext context(ibv_open_device(device));
  ibv_device_attr attributes{};
  if (context == nullptr) {
    facts.trouble = why_not_opened(facts.device, errno);
  } else if (const int error = ibv_query_device(context.get(), &attributes); error != 0) {
    facts.trouble = fmt::format("ibv_query_device: {}", std::strerror(error));
  }
  if (!facts.trouble.empty()) {
    ports.push_back(std::move(facts));
    return;
  }
  facts.opened = std::make_shared<DeviceContext>(std::move(context));
  for (facts.port = 1; facts.port <= attributes.phys_port_cnt; ++facts.port) {
    ask_port(facts.opened->get(), facts);
    ports.push_back(facts);
    facts.trouble.clear();
  }
}

std::string why_not_listed(const std::string& device) {
  const auto node = node_of(device);
  if (!node) return "the kernel has it and there is no way to it from user space: load ib_uverbs";
  std::error_code none;
  if (!std::filesystem::exists(*node, none))
    return fmt::format(
        "its node {} is missing; pass /dev/infiniband into the container, or let udev make it; or run 'halyard doctor "
        "--check rdma-nodes'",
        node->string());
  return "the kernel has it and libibverbs does not list it: its provider is missing (ibverbs-providers)";
}

// What the kernel has and libibverbs does not show: its provider library, or the character device, is missing.
void add_unlisted(std::vector<PortFacts>& ports) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(kInfiniband, error)) {
    const std::string name = entry.path().filename();
    if (std::any_of(ports.begin(), ports.end(), [&](const PortFacts& port) { return port.device == name; })) continue;
    PortFacts facts;
    facts.device = name;
    facts.trouble = why_not_listed(name);
    ports.push_back(std::move(facts));
  }
}

}  // namespace

std::string name_of(const PortFacts& port) { return fmt::format("{}:{}", port.device, port.port); }

std::vector<PortFacts> choose_ports(const std::vector<PortFacts>& ports, const PortWish& wish) {
  if (wish.text.empty()) return {nearest(ports, wish)};
  std::vector<PortFacts> chosen;
  std::string_view rest = wish.text;
  while (true) {
    const auto comma = rest.find(',');
    chosen.push_back(named(ports, rest.substr(0, comma)));
    if (comma == std::string_view::npos) return chosen;
    rest = rest.substr(comma + 1);
  }
}

std::vector<PortFacts> list_ports() {
  std::vector<PortFacts> ports;
  int count = 0;
  const DeviceList devices(ibv_get_device_list(&count));
  for (int i = 0; devices != nullptr && i < count; ++i) ask_device(devices.get()[i], ports);
  add_unlisted(ports);
  return ports;
}

int own_numa_node() {
  unsigned cpu = 0, node = 0;
  return getcpu(&cpu, &node) == 0 ? static_cast<int>(node) : -1;
}

DeviceContext open_device(const std::string& name) {
  int count = 0;
  const DeviceList devices(ibv_get_device_list(&count));
  for (int i = 0; devices != nullptr && i < count; ++i) {
    if (name != ibv_get_device_name(devices.get()[i])) continue;
    errno = 0;
    DeviceContext context(ibv_open_device(devices.get()[i]));
    if (context != nullptr) return context;
    throw Error(StatusCode::not_supported, fmt::format("open {}: {}", name, why_not_opened(name, errno)));
  }
  throw Error(StatusCode::not_supported, fmt::format("open {}: the device is gone", name));
}

}  // namespace halyard::transport::verbs
