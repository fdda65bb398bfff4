// See topo_file.hpp and placed.hpp.
#include "topology/file/topo_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "topology/file/placed.hpp"
#include "topology/rails.hpp"

namespace halyard::topology {
namespace {

// "mlx5_0, mlx5_1 (PIX)" or why there is none.
std::string nearest_nics(const Topology& topology, std::size_t gpu) {
  const auto& distances = topology.to_nic[gpu];
  const auto nearest = distances.empty() ? Distance::unknown : *std::min_element(distances.begin(), distances.end());
  std::vector<std::string_view> names;
  for (std::size_t nic = 0; nic < distances.size(); ++nic)
    if (distances[nic] == nearest) names.push_back(topology.nics[nic].name);
  if (names.empty()) return "no NIC";
  return fmt::format("{} ({})", fmt::join(names, ", "), name_of(nearest));
}

std::string names_of(const Topology& topology, const std::vector<Rail>& rails, Distance distance) {
  std::vector<std::string_view> names;
  for (const Rail& rail : rails)
    if (rail.nic && rail.distance == distance) names.push_back(topology.gpus[rail.gpu].name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// What such a machine will do to those who use it.
std::string verdict_of(const Topology& topology) {
  if (topology.gpus.empty() || topology.nics.empty()) return "  nothing to compare: it needs GPUs and NICs\n";
  const auto rails = assign_rails(topology);
  const auto far = names_of(topology, rails, Distance::sys);
  const auto unknown = names_of(topology, rails, Distance::unknown);
  std::string text;
  if (!far.empty())
    text += fmt::format("  warn: the nearest NIC is on another socket for {}; expect half the bandwidth there\n", far);
  if (!unknown.empty()) text += fmt::format("  unknown: how far a NIC is from {}\n", unknown);
  return text.empty() ? "  ok: every GPU has a NIC on its socket\n" : text;
}

}  // namespace

Topology topology_of(std::vector<Placed> gpus, std::vector<Placed> nics, int num_numa_nodes) {
  for (auto* list : {&gpus, &nics})
    if (list->size() > kMaxTopoDevices) list->resize(kMaxTopoDevices);
  Topology topology;
  topology.num_numa_nodes = num_numa_nodes;
  for (const Placed& nic : nics)
    topology.nics.push_back({nic.name, nic.pci.address, nic.pci.numa_node, 0, true, nic.pci.is_virtual_function});
  for (const Placed& gpu : gpus) {
    topology.gpus.push_back({gpu.name, gpu.pci.address, gpu.pci.numa_node});
    auto& to_nic = topology.to_nic.emplace_back();
    for (const Placed& nic : nics) to_nic.push_back(distance_between(gpu.pci, nic.pci, num_numa_nodes));
    auto& to_gpu = topology.to_gpu.emplace_back();
    for (const Placed& other : gpus) to_gpu.push_back(distance_between(gpu.pci, other.pci, num_numa_nodes));
  }
  return topology;
}

TopoFile read_topo(std::string_view text) {
  const bool is_cut = text.size() > kMaxTopoBytes;
  text = text.substr(0, kMaxTopoBytes);
  TopoFile file;
  if (text.find("<topology") != std::string_view::npos) {
    file = read_hwloc_xml(text);
  } else if (text.find("<system") != std::string_view::npos) {
    file = read_nccl_xml(text);
  } else if (text.find("GPU0") != std::string_view::npos) {
    file = read_smi_matrix(text);
  } else {
    file.troubles.push_back(
        "neither <topology> of hwloc, nor <system> of NCCL, nor a table with GPU0: this is no topology; write one with "
        "'lstopo topo.xml', NCCL_TOPO_DUMP_FILE=topo.xml or 'nvidia-smi topo -m > topo.txt'");
  }
  if (is_cut) file.troubles.push_back(fmt::format("only the first {} MiB were read", kMaxTopoBytes >> 20));
  return file;
}

std::string text_of(const TopoFile& file) {
  std::string text;
  const Topology& topology = file.topology;
  if (!file.format.empty())
    text += fmt::format("{}: {} GPUs, {} NICs\n{}", file.format, topology.gpus.size(), topology.nics.size(),
                        verdict_of(topology));
  for (std::size_t gpu = 0; gpu < topology.gpus.size(); ++gpu)
    text += fmt::format("  {}: {}\n", topology.gpus[gpu].name, nearest_nics(topology, gpu));
  if (!file.nvlinks.empty()) text += fmt::format("  NVLink: {} pairs of GPUs\n", file.nvlinks.size());
  for (const std::string& trouble : file.troubles) text += fmt::format("  could not read: {}\n", trouble);
  return text;
}

}  // namespace halyard::topology
