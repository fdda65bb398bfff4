// NCCL's XML: <system><cpu numaid><pci busid class><pci><gpu dev/></pci><nic><net name/></nic></pci></cpu></system>. A
// <pci> of class 0x0604 is a whole switch; NVLinks are <nvlink target> below a <gpu>, to another GPU or to a switch.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "facts/text.hpp"
#include "topology/file/placed.hpp"
#include "topology/file/topo_file.hpp"
#include "topology/file/xml.hpp"

namespace halyard::topology {
namespace {

constexpr std::string_view kBridgeClass = "0x0604";

// What an open element means for those inside it.
struct Level {
  PciDevice pci;
  bool is_gpu = false;
};

class NcclReader {
 public:
  TopoFile read(std::string_view text);

 private:
  struct Link {
    PciAddress from;
    std::optional<PciAddress> to;  // nothing: the switch
  };

  Level enter(const XmlTag& tag, const Level& outer);
  void enter_pci(const XmlTag& tag, PciDevice& pci);
  bool is_joined(const PciAddress& a, const PciAddress& b) const;
  std::vector<std::string> nvlinks() const;

  std::vector<Placed> gpus_;
  std::vector<Placed> nics_;
  std::vector<Link> links_;
  std::set<std::string, std::less<>> numa_nodes_;
  int num_cpus_ = 0;
};

// A switch is two ports for distance_between: the upstream one, which all below share, and one of its own for each.
void NcclReader::enter_pci(const XmlTag& tag, PciDevice& pci) {
  const auto address = pci_address_in(tag.attribute("busid")).value_or(PciAddress{});
  if (!pci.bridges.empty()) pci.bridges.push_back(address);
  pci.address = address;
  if (tag.attribute("class").starts_with(kBridgeClass)) pci.bridges.push_back(address);
}

Level NcclReader::enter(const XmlTag& tag, const Level& outer) {
  Level level = outer;
  level.is_gpu = tag.name == "gpu";
  if (tag.name == "cpu") {
    level.pci.host_bridge = fmt::format("cpu{}", num_cpus_++);
    level.pci.numa_node = static_cast<int>(facts::number_in(tag.attribute("numaid")).value_or(-1));
    if (level.pci.numa_node >= 0) numa_nodes_.emplace(tag.attribute("numaid"));
  }
  if (tag.name == "pci") enter_pci(tag, level.pci);
  if (tag.name == "gpu") gpus_.push_back({fmt::format("GPU{}", tag.attribute("dev")), outer.pci});
  if (tag.name == "net") nics_.push_back({std::string(tag.attribute("name")), outer.pci});
  if (tag.name == "nvlink" && outer.is_gpu)
    links_.push_back({outer.pci.address, pci_address_in(tag.attribute("target"))});
  return level;
}

bool NcclReader::is_joined(const PciAddress& a, const PciAddress& b) const {
  const auto is_gpu = [&](const std::optional<PciAddress>& to) {
    return std::any_of(gpus_.begin(), gpus_.end(), [&](const Placed& gpu) { return gpu.pci.address == to; });
  };
  bool is_a_switched = false;
  bool is_b_switched = false;
  for (const Link& link : links_) {
    if ((link.from == a && link.to == b) || (link.from == b && link.to == a)) return true;
    is_a_switched |= link.from == a && !is_gpu(link.to);
    is_b_switched |= link.from == b && !is_gpu(link.to);
  }
  return is_a_switched && is_b_switched;
}

std::vector<std::string> NcclReader::nvlinks() const {
  std::vector<std::string> pairs;
  if (links_.empty()) return pairs;
  for (std::size_t a = 0; a < gpus_.size(); ++a)
    for (std::size_t b = a + 1; b < gpus_.size(); ++b)
      if (is_joined(gpus_[a].pci.address, gpus_[b].pci.address))
        pairs.push_back(fmt::format("{}-{}", gpus_[a].name, gpus_[b].name));
  return pairs;
}

TopoFile NcclReader::read(std::string_view text) {
  TopoFile file;
  file.format = "NCCL XML";
  file.troubles = walk_xml(text, Level{}, [this](const XmlTag& tag, const Level& outer) { return enter(tag, outer); });
  for (auto* list : {&gpus_, &nics_})
    if (list->size() > kMaxTopoDevices) {
      list->resize(kMaxTopoDevices);
      file.troubles.push_back(fmt::format("more than {} devices: the rest is left out", kMaxTopoDevices));
    }
  file.nvlinks = nvlinks();
  file.topology = topology_of(gpus_, nics_, static_cast<int>(numa_nodes_.size()));
  return file;
}

}  // namespace

TopoFile read_nccl_xml(std::string_view text) { return NcclReader().read(text); }

}  // namespace halyard::topology
