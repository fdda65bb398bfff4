// hwloc's XML, of 1.11 and 2: <object type="Package"> with NUMANode, Bridge, PCIDev and OSDev objects inside each
// other. A Bridge of type 0-1 is a host bridge, one of type 1-1 a port of a switch or a root port.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "facts/text.hpp"
#include "topology/file/placed.hpp"
#include "topology/file/topo_file.hpp"
#include "topology/file/xml.hpp"

namespace halyard::topology {
namespace {

constexpr std::string_view kOpenFabrics = "3";  // osdev_type of hwloc 2

// What an open element means for those inside it. hwloc 2 names a NUMA node beside what belongs to it, so the node
// found last is kept where both see it.
struct Level {
  PciDevice pci;
  std::shared_ptr<int> numa_node = std::make_shared<int>(-1);
};

class HwlocReader {
 public:
  TopoFile read(std::string_view text);

 private:
  Level enter(const XmlTag& tag, const Level& outer);
  void enter_numa_node(const XmlTag& tag, const Level& outer, Level& level);
  void enter_pci(const XmlTag& tag, Level& level);

  std::vector<Placed> gpus_;
  std::vector<Placed> nics_;
  int num_numa_nodes_ = 0;
};

void HwlocReader::enter_numa_node(const XmlTag& tag, const Level& outer, Level& level) {
  const int number = static_cast<int>(facts::number_in(tag.attribute("os_index")).value_or(-1));
  ++num_numa_nodes_;
  // Two of them beside each other: what lies there belongs to neither.
  *outer.numa_node = *outer.numa_node == -1 ? number : -2;
  level.numa_node = std::make_shared<int>(number);
}

// "0302 [10de:20b2] [10de:1463] a1"
void HwlocReader::enter_pci(const XmlTag& tag, Level& level) {
  const auto type = tag.attribute("pci_type");
  level.pci.address = pci_address_in(tag.attribute("pci_busid")).value_or(PciAddress{});
  level.pci.class_code = static_cast<std::uint32_t>(facts::hex_in(type.substr(0, 4)).value_or(0)) << 8;
  level.pci.vendor =
      type.size() > 10 ? static_cast<std::uint32_t>(facts::hex_in(type.substr(6, 4)).value_or(0)) : std::uint32_t{0};
  level.pci.numa_node = std::max(*level.numa_node, -1);
  if (is_gpu(level.pci)) gpus_.push_back({"", level.pci});
}

Level HwlocReader::enter(const XmlTag& tag, const Level& outer) {
  Level level = outer;
  const auto type = tag.attribute("type");
  if (tag.name != "object") return level;
  const bool is_of_io = type == "Bridge" || type == "PCIDev" || type == "OSDev";
  if (!is_of_io) level.numa_node = std::make_shared<int>(*outer.numa_node == -2 ? -1 : *outer.numa_node);
  if (type == "NUMANode") enter_numa_node(tag, outer, level);
  if (type == "Bridge" && tag.attribute("bridge_type") == "0-1") level.pci.host_bridge = tag.attribute("bridge_pci");
  if (type == "Bridge" && tag.attribute("bridge_type") == "1-1")
    level.pci.bridges.push_back(pci_address_in(tag.attribute("pci_busid")).value_or(PciAddress{}));
  if (type == "PCIDev") enter_pci(tag, level);
  if (type == "OSDev" && tag.attribute("osdev_type") == kOpenFabrics)
    nics_.push_back({std::string(tag.attribute("name")), outer.pci});
  return level;
}

TopoFile HwlocReader::read(std::string_view text) {
  TopoFile file;
  file.format = "hwloc XML";
  file.troubles = walk_xml(text, Level{}, [this](const XmlTag& tag, const Level& outer) { return enter(tag, outer); });
  std::stable_sort(gpus_.begin(), gpus_.end(),
                   [](const Placed& a, const Placed& b) { return a.pci.address < b.pci.address; });
  for (std::size_t i = 0; i < gpus_.size(); ++i) gpus_[i].name = fmt::format("GPU{}", i);
  if (std::max(gpus_.size(), nics_.size()) > kMaxTopoDevices)
    file.troubles.push_back(fmt::format("more than {} devices: the rest is left out", kMaxTopoDevices));
  file.topology = topology_of(std::move(gpus_), std::move(nics_), num_numa_nodes_);
  return file;
}

}  // namespace

TopoFile read_hwloc_xml(std::string_view text) { return HwlocReader().read(text); }

}  // namespace halyard::topology
