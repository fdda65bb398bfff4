// NCCL's XML: <system><cpu numaid><pci busid class><pci><gpu dev/></pci><nic><net name/></nic></pci></cpu></system>. A
// <pci> that holds others is a switch; NVLinks are lines below a <gpu> that name the GPU at their other end.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "diagnose/environment/variables.hpp"
#include "diagnose/topo_file/device_tree.hpp"
#include "diagnose/topo_file/xml_scanner.hpp"

namespace halyard::diagnose {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::string_view kPciBridge = "0x0604";

int number_of(std::string_view text) {
  int number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

class NcclReader {
 public:
  TopoFile read(std::string_view text);

 private:
  // What an open element means for those inside it.
  struct Level {
    int node = -1;
    int numa_node = -1;
    std::string bus_id;
    bool has_gpu = false;
  };
  struct Link {
    std::string from;
    std::string to;
  };

  Level enter(const XmlTag& tag, const Level& outer);
  void add_nvlinks(TopoFile& topo) const;

  DeviceTree tree_;
  std::vector<Link> links_;
};

NcclReader::Level NcclReader::enter(const XmlTag& tag, const Level& outer) {
  Level level = outer;
  if (tag.name == "system") level.node = tree_.add(DeviceTree::Role::machine, -1);
  if (tag.name == "cpu") {
    level.numa_node = number_of(tag.attribute("numaid"));
    level.node = tree_.add(DeviceTree::Role::host_bridge, outer.node);
  }
  if (tag.name == "pci") {
    level.bus_id = tag.attribute("busid");
    const bool is_switch = tag.attribute("class").starts_with(kPciBridge);
    level.node = tree_.add(is_switch ? DeviceTree::Role::bridge : DeviceTree::Role::device, outer.node);
  }
  if (tag.name == "gpu")
    tree_.place({TopoKind::gpu, fmt::format("GPU{}", tag.attribute("dev")), outer.bus_id, outer.numa_node}, outer.node);
  if (tag.name == "net")
    tree_.place({TopoKind::nic, std::string(tag.attribute("name")), outer.bus_id, outer.numa_node}, outer.node);
  if (tag.name == "nvlink") links_.push_back({outer.bus_id, std::string(tag.attribute("target"))});
  return level;
}

// Two GPUs are joined by a link from one to the other, or by links of both to a switch, which has no bus id of a GPU.
void NcclReader::add_nvlinks(TopoFile& topo) const {
  const auto is_gpu = [&](std::string_view bus_id) {
    return std::any_of(topo.devices.begin(), topo.devices.end(),
                       [&](const auto& d) { return d.kind == TopoKind::gpu && same_word(d.bus_id, bus_id); });
  };
  const auto is_joined = [&](const std::string& a, const std::string& b) {
    bool is_a_switched = false;
    bool is_b_switched = false;
    for (const Link& link : links_) {
      if (same_word(link.from, a) && same_word(link.to, b)) return true;
      is_a_switched |= same_word(link.from, a) && !is_gpu(link.to);
      is_b_switched |= same_word(link.from, b) && !is_gpu(link.to);
    }
    return is_a_switched && is_b_switched;
  };
  for (std::size_t i = 0; i < topo.devices.size(); ++i)
    for (std::size_t j = 0; j < topo.devices.size(); ++j)
      if (i != j && topo.devices[i].kind == TopoKind::gpu && topo.devices[j].kind == TopoKind::gpu &&
          is_joined(topo.devices[i].bus_id, topo.devices[j].bus_id))
        topo.nearness[i][j] = topo.nearness[j][i] = Nearness::nvlink;
}

TopoFile NcclReader::read(std::string_view text) {
  XmlScanner scanner(text);
  std::vector<Level> levels{Level{}};
  bool is_too_deep = false;
  for (XmlTag tag; !is_too_deep && scanner.next(tag);) {
    if (tag.kind == XmlTag::Kind::close) {
      if (levels.size() > 1) levels.pop_back();
      continue;
    }
    Level level = enter(tag, levels.back());
    if (tag.kind == XmlTag::Kind::open) levels.push_back(std::move(level));
    is_too_deep = levels.size() > kMaxDepth;
  }
  TopoFile topo = tree_.result("NCCL XML", 1);
  add_nvlinks(topo);
  if (is_too_deep) topo.troubles.push_back(fmt::format("more than {} elements inside each other: the rest is left out", kMaxDepth));
  if (scanner.is_truncated() || levels.size() > 1) topo.troubles.push_back("the XML ends too early: what follows is missing");
  return topo;
}

}  // namespace

TopoFile read_nccl_xml(std::string_view text) { return NcclReader().read(text); }

}  // namespace halyard::diagnose
