// See pci.hpp.
#include "topology/pci.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "facts/text.hpp"

namespace halyard::topology {
namespace {

constexpr std::string_view kDevices = "/sys/bus/pci/devices";
constexpr std::uint32_t kNvidia = 0x10de;

std::uint32_t number_at(const facts::Root& root, const std::string& path) {
  const auto number = facts::number_in(root.read(path, 64).text);
  return number && *number >= 0 && *number <= 0xffffffff ? static_cast<std::uint32_t>(*number) : 0;
}

int numa_node_at(const facts::Root& root, const std::string& path) {
  const auto node = facts::number_in(root.read(path, 64).text);
  return node && *node >= 0 && *node < 65'536 ? static_cast<int>(*node) : -1;
}

// "…/pci0000:40/0000:40:01.1/0000:41:00.0": the host bridge, the bridges, the device itself.
void place(std::string_view path, PciDevice& device) {
  for (const std::string_view part : facts::split(path, "/")) {
    if (part.starts_with("pci") && part.find(':') != std::string_view::npos) {
      device.host_bridge = part;
      device.bridges.clear();
    } else if (const auto address = pci_address_in(part); address && !device.host_bridge.empty()) {
      if (*address != device.address) device.bridges.push_back(*address);
    }
  }
}

PciDevice read_device(const facts::Root& root, const PciAddress& address, const std::string& sysfs) {
  PciDevice device;
  device.address = address;
  device.sysfs = sysfs;
  device.class_code = number_at(root, sysfs + "/class");
  device.vendor = number_at(root, sysfs + "/vendor");
  device.device = number_at(root, sysfs + "/device");
  device.numa_node = numa_node_at(root, sysfs + "/numa_node");
  device.is_virtual_function = root.exists(sysfs + "/physfn");
  const auto driver = root.link(sysfs + "/driver");
  device.driver = driver.text.substr(driver.text.rfind('/') + 1);
  const auto path = root.resolve(sysfs);
  if (path.ok()) place(path.text, device);
  return device;
}

}  // namespace

std::string text_of(const PciAddress& address) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", address.domain, address.bus, address.device, address.function);
}

std::optional<PciAddress> pci_address_in(std::string_view text) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto parts = facts::split(text.substr(0, dot), ":");
  if (parts.size() < 2 || parts.size() > 3) return std::nullopt;
  const auto device = facts::hex_in(parts.back());
  const auto bus = facts::hex_in(parts[parts.size() - 2]);
  const auto domain = parts.size() == 3 ? facts::hex_in(parts[0]) : std::optional<std::uint64_t>(0);
  const auto function = facts::hex_in(text.substr(dot + 1));
  if (!device || !bus || !domain || !function) return std::nullopt;
  if (*device > 0x1f || *bus > 0xff || *domain > 0xffffffff || *function > 7) return std::nullopt;
  const auto narrow = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  return PciAddress{narrow(*domain), narrow(*bus), narrow(*device), narrow(*function)};
}

bool is_gpu(const PciDevice& device) {
  const std::uint32_t kind = device.class_code >> 8;
  return device.vendor == kNvidia && (kind == 0x0300 || kind == 0x0302);
}

bool is_bridge(const PciDevice& device) { return device.class_code >> 8 == 0x0604; }

bool is_rdma_adapter(const PciDevice& device) {
  constexpr std::uint32_t kMellanox = 0x15b3;
  const std::uint32_t kind = device.class_code >> 8;
  return kind == 0x0207 || (kind == 0x0200 && device.vendor == kMellanox);
}

const PciDevice* PciTree::find(const PciAddress& address) const {
  const auto found = std::lower_bound(devices.begin(), devices.end(), address,
                                      [](const PciDevice& d, const PciAddress& a) { return d.address < a; });
  return found != devices.end() && found->address == address ? &*found : nullptr;
}

PciTree read_pci_tree(const facts::Root& root) {
  PciTree tree;
  const auto listing = root.list(kDevices);
  tree.access = listing.access;
  tree.is_cut = listing.is_cut;
  for (const std::string& name : listing.names)
    if (const auto address = pci_address_in(name))
      tree.devices.push_back(read_device(root, *address, std::string(kDevices) + "/" + name));
  const auto by_address = [](const PciDevice& a, const PciDevice& b) { return a.address < b.address; };
  std::sort(tree.devices.begin(), tree.devices.end(), by_address);
  return tree;
}

}  // namespace halyard::topology
