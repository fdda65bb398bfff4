// See rdma.hpp.
#include "topology/rdma.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "facts/text.hpp"

namespace halyard::topology {
namespace {

constexpr std::string_view kInfiniband = "/sys/class/infiniband";
constexpr std::string_view kVerbs = "/sys/class/infiniband_verbs";
constexpr std::size_t kMostDevices = 256;
constexpr std::size_t kMostPorts = 64;

std::string line_at(const facts::Root& root, const std::string& path) {
  return std::string(facts::first_line(root.read(path, 256).text));
}

// "4: ACTIVE"
std::string after_number(std::string_view text) {
  const std::size_t colon = text.find(':');
  return std::string(facts::trimmed(colon == std::string_view::npos ? text : text.substr(colon + 1)));
}

bool is_empty_gid(std::string_view gid) {
  return gid.size() < 20 || gid.substr(20).find_first_not_of("0:") == std::string_view::npos;
}

// Rows are sorted by number: names are sorted as text.
std::vector<int> row_numbers(const facts::Listing& listing) {
  std::vector<int> numbers;
  for (const std::string& name : listing.names)
    if (const auto number = facts::number_in(name); number && *number >= 0 && *number < 65'536)
      numbers.push_back(static_cast<int>(*number));
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void read_gids(const facts::Root& root, RdmaPort& port) {
  for (const int index : row_numbers(root.list(port.sysfs + "/gids"))) {
    const std::string path = fmt::format("{}/gids/{}", port.sysfs, index);
    const auto row = root.read(path, 256);
    if (!row.ok()) port.unreadable.push_back(facts::evidence_of(path, row));
    const std::string gid(facts::first_line(row.text));
    if (!row.ok() || is_empty_gid(gid)) continue;
    port.gids.push_back({index, gid, line_at(root, fmt::format("{}/gid_attrs/types/{}", port.sysfs, index)),
                         line_at(root, fmt::format("{}/gid_attrs/ndevs/{}", port.sysfs, index))});
  }
}

RdmaPort read_port(const facts::Root& root, const RdmaDevice& device, int number) {
  RdmaPort port;
  port.number = number;
  port.sysfs = fmt::format("{}/ports/{}", device.sysfs, number);
  port.state = after_number(line_at(root, port.sysfs + "/state"));
  port.physical_state = after_number(line_at(root, port.sysfs + "/phys_state"));
  port.link_layer = line_at(root, port.sysfs + "/link_layer");
  port.rate = line_at(root, port.sysfs + "/rate");
  port.gbit_s = std::max(0.0, facts::leading_number(port.rate).value_or(0));
  read_gids(root, port);
  for (const GidText& row : port.gids)
    if (port.netdev.empty()) port.netdev = row.netdev;
  if (port.netdev.empty() && port.link_layer == "Ethernet") {
    const auto names = root.list(device.sysfs + "/device/net").names;
    if (!names.empty()) port.netdev = names.front();
  }
  return port;
}

std::string verbs_node_of(const facts::Root& root, const std::string& device) {
  for (const std::string& node : root.list(kVerbs).names)
    if (line_at(root, fmt::format("{}/{}/ibdev", kVerbs, node)) == device) return node;
  return {};
}

RdmaDevice read_device(const facts::Root& root, const std::string& name) {
  RdmaDevice device;
  device.name = name;
  device.sysfs = fmt::format("{}/{}", kInfiniband, name);
  device.firmware = line_at(root, device.sysfs + "/fw_ver");
  device.board = line_at(root, device.sysfs + "/board_id");
  const auto place = root.resolve(device.sysfs + "/device");
  if (place.ok()) device.pci = pci_address_in(std::string_view(place.text).substr(place.text.rfind('/') + 1));
  device.verbs_node = verbs_node_of(root, name);
  for (const int number : row_numbers(root.list(device.sysfs + "/ports")))
    if (device.ports.size() < kMostPorts) device.ports.push_back(read_port(root, device, number));
  return device;
}

}  // namespace

RdmaDevices read_rdma_devices(const facts::Root& root) {
  RdmaDevices devices;
  const auto listing = root.list(kInfiniband);
  devices.access = listing.access;
  for (const std::string& name : listing.names)
    if (devices.devices.size() < kMostDevices) devices.devices.push_back(read_device(root, name));
  return devices;
}

std::string name_of(const RdmaDevice& device, const RdmaPort& port) {
  return fmt::format("{}:{}", device.name, port.number);
}

bool is_active(const RdmaPort& port) { return port.state == "ACTIVE"; }

}  // namespace halyard::topology
