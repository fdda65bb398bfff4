// See devices.hpp. File names and formats are those of Linux' sysfs (Documentation/ABI).
#include "support/machine/devices.hpp"

#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "facts/text.hpp"

namespace halyard::test {
namespace {

using facts::TreeRoot;
using Words = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kZeroGid = "0000:0000:0000:0000:0000:0000:0000:0000";

// key=value words after the first one, which is the name.
Words words_in(std::string_view text, std::string& name) {
  Words words;
  for (const std::string_view part : facts::split(text)) {
    const std::size_t equals = part.find('=');
    if (name.empty())
      name = part;
    else if (equals != std::string_view::npos)
      words[std::string(part.substr(0, equals))] = part.substr(equals + 1);
    else
      throw std::invalid_argument(std::string(text) + ": expected key=value, found " + std::string(part));
  }
  return words;
}

std::string take(Words& words, std::string_view key, std::string otherwise) {
  const auto found = words.find(key);
  if (found == words.end()) return otherwise;
  std::string value = std::move(found->second);
  words.erase(found);
  return value;
}

void expect_none_left(const Words& words) {
  if (!words.empty()) throw std::invalid_argument("unknown key " + words.begin()->first);
}

void put(TreeRoot& tree, const std::string& path, const std::string& text) {
  if (!tree.put_file(path, text + "\n")) throw std::invalid_argument(path + ": something else is in its place");
}

void put_link(TreeRoot& tree, const std::string& path, std::string target) {
  if (!tree.put_link(path, std::move(target))) throw std::invalid_argument(path + ": something else is in its place");
}

// "16x8/32x16"
void put_link_speed(TreeRoot& tree, const std::string& folder, std::string_view text) {
  const auto halves = facts::split(text, "/");
  const char* const names[] = {"current", "max"};
  for (std::size_t i = 0; i < halves.size() && i < 2; ++i) {
    const auto parts = facts::split(halves[i], "x");
    if (parts.size() != 2) throw std::invalid_argument("link=" + std::string(text) + ": expected 16x16/16x16");
    std::string speed(parts[0]);
    if (speed.find('.') == std::string::npos) speed += ".0";
    put(tree, folder + "/" + names[i] + "_link_speed", speed + " GT/s PCIe");
    put(tree, folder + "/" + names[i] + "_link_width", std::string(parts[1]));
  }
}

// BAR1 begins at 1 TiB; BAR0 is the registers, 16 MiB.
void put_bar1(TreeRoot& tree, const std::string& folder, const std::string& mib) {
  constexpr unsigned long long kFirst = 1ULL << 40;
  const unsigned long long bytes = std::stoull(mib) << 20;
  char line[80];
  std::snprintf(line, sizeof line, "0x%016llx 0x%016llx 0x000000000014220c", kFirst, kFirst + bytes - 1);
  put(tree, folder + "/resource", std::string("0x00000000f0000000 0x00000000f0ffffff 0x0000000000040200\n") + line);
}

std::string folder_of_pci(const TreeRoot& tree, const std::string& address) {
  const auto place = tree.resolve("/sys/bus/pci/devices/" + address);
  if (!place.ok()) throw std::invalid_argument("there is no PCI device " + address + " yet");
  return place.text;
}

void put_port(TreeRoot& tree, const std::string& port, Words& words) {
  const std::string layer = take(words, "layer", "InfiniBand");
  const std::string state = take(words, "state", "ACTIVE");
  put(tree, port + "/state", (state == "ACTIVE" ? "4: " : "1: ") + state);
  put(tree, port + "/phys_state", state == "ACTIVE" ? "5: LinkUp" : "3: Disabled");
  put(tree, port + "/link_layer", layer);
  put(tree, port + "/rate", take(words, "rate", "200") + " Gb/sec (4X HDR)");
  tree.put_folder(port + "/gids");
  if (layer == "InfiniBand") {
    put(tree, port + "/gids/0", "fe80:0000:0000:0000:b859:9f03:0001:0002");
    put(tree, port + "/gid_attrs/types/0", "IB/RoCE v1");
  } else {
    for (int row = 0; row < 4; ++row) put(tree, port + "/gids/" + std::to_string(row), std::string(kZeroGid));
  }
}

void put_interface(TreeRoot& tree, const std::string& device, const std::string& netdev, const std::string& mtu) {
  if (netdev.empty()) return;
  tree.put_folder(device + "/net");
  tree.put_folder(device + "/net/" + netdev);
  put(tree, device + "/net/" + netdev + "/mtu", mtu);
  put(tree, device + "/net/" + netdev + "/operstate", "up");
  put_link(tree, "/sys/class/net/" + netdev, "../../" + device.substr(5) + "/net/" + netdev);
}

}  // namespace

void put_pci(TreeRoot& tree, std::string_view text) {
  std::string address;
  Words words = words_in(text, address);
  const std::string folder = "/sys/devices/" + take(words, "below", "pci" + address.substr(0, 7)) + "/" + address;
  const std::string id = take(words, "id", "8086:0000");
  put(tree, folder + "/class", "0x" + take(words, "class", "060400"));
  put(tree, folder + "/vendor", "0x" + id.substr(0, 4));
  put(tree, folder + "/device", "0x" + id.substr(5));
  put(tree, folder + "/numa_node", take(words, "numa", "-1"));
  put_link_speed(tree, folder, take(words, "link", "16x16/16x16"));
  std::string up;  // from the device's folder to /sys
  for (std::size_t i = 1; i < facts::split(folder, "/").size(); ++i) up += "../";
  if (const std::string driver = take(words, "driver", ""); !driver.empty())
    put_link(tree, folder + "/driver", up + "bus/pci/drivers/" + driver);
  if (const std::string type = take(words, "iommu", ""); !type.empty()) put(tree, folder + "/iommu_group/type", type);
  if (const std::string mib = take(words, "bar1", ""); !mib.empty()) put_bar1(tree, folder, mib);
  if (take(words, "vf", "0") == "1") put_link(tree, folder + "/physfn", ".");
  put_link(tree, "/sys/bus/pci/devices/" + address, "../../../" + folder.substr(5));
  expect_none_left(words);
}

void put_config(TreeRoot& tree, std::string_view text) {
  std::string address;
  const Words words = words_in(text, address);
  const std::string path = folder_of_pci(tree, address) + "/config";
  std::string bytes = tree.read(path).text;
  bytes.resize(4096, '\0');
  for (const auto& [offset, digits] : words)
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
      bytes.at(facts::hex_in(offset).value() + i / 2) =
          static_cast<char>(facts::hex_in(std::string_view(digits).substr(i, 2)).value());
  tree.put_file(path, bytes);
}

void put_rdma(TreeRoot& tree, std::string_view text) {
  std::string name;
  Words words = words_in(text, name);
  const std::string pci = take(words, "pci", "");
  const std::string device = pci.empty() ? "/sys/devices/virtual" : folder_of_pci(tree, pci);
  const std::string folder = device + "/infiniband/" + name;
  if (!pci.empty()) put_link(tree, folder + "/device", "../..");
  put_link(tree, "/sys/class/infiniband/" + name, "../../" + folder.substr(5));
  put(tree, folder + "/fw_ver", take(words, "fw", "20.31.1014"));
  put(tree, folder + "/board_id", take(words, "board", "MT_0000000594"));
  const std::string node = take(words, "node", "");
  if (!node.empty()) put(tree, "/sys/class/infiniband_verbs/" + node + "/ibdev", name);
  const std::string netdev = take(words, "netdev", "");
  put_interface(tree, device, netdev, take(words, "mtu", "9000"));
  if (!netdev.empty() && pci.empty()) put(tree, folder + "/parent", netdev);
  put_port(tree, folder + "/ports/" + take(words, "port", "1"), words);
  expect_none_left(words);
}

void put_gid(TreeRoot& tree, std::string_view text) {
  const auto parts = facts::split(text);
  if (parts.size() < 4) throw std::invalid_argument("gid: expected device, row, address, ib|v1|v2 and maybe interface");
  const auto device = tree.resolve("/sys/class/infiniband/" + std::string(parts[0]));
  if (!device.ok()) throw std::invalid_argument("there is no RDMA device " + std::string(parts[0]) + " yet");
  const std::string port = device.text + "/ports/1";
  const std::string row(parts[1]);
  put(tree, port + "/gids/" + row, std::string(parts[2]));
  put(tree, port + "/gid_attrs/types/" + row, parts[3] == "v2" ? "RoCE v2" : "IB/RoCE v1");
  if (parts.size() > 4) put(tree, port + "/gid_attrs/ndevs/" + row, std::string(parts[4]));
}

}  // namespace halyard::test
