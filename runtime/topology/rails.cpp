// See rails.hpp.
#include "topology/rails.hpp"

#include <algorithm>
#include <tuple>

namespace halyard::topology {
namespace {

std::vector<std::size_t> usable_nics(const Topology& topology) {
  std::vector<std::size_t> usable;
  for (std::size_t n = 0; n < topology.nics.size(); ++n)
    if (topology.nics[n].is_active) usable.push_back(n);
  const auto is_virtual = [&](std::size_t n) { return topology.nics[n].is_virtual_function; };
  if (!std::all_of(usable.begin(), usable.end(), is_virtual)) std::erase_if(usable, is_virtual);
  return usable;
}

// Lower is better.
std::tuple<Distance, double> order_of(const Topology& topology, std::size_t gpu, std::size_t nic) {
  return {topology.to_nic[gpu][nic], -topology.nics[nic].gbit_s};
}

// The equally good ones, in the order of the NICs.
std::vector<std::size_t> best_of(const Topology& topology, std::size_t gpu, const std::vector<std::size_t>& usable) {
  std::vector<std::size_t> best;
  for (const std::size_t nic : usable) {
    if (!best.empty() && order_of(topology, gpu, nic) < order_of(topology, gpu, best.front())) best.clear();
    if (best.empty() || order_of(topology, gpu, nic) == order_of(topology, gpu, best.front())) best.push_back(nic);
  }
  return best;
}

}  // namespace

std::vector<Rail> assign_rails(const Topology& topology) {
  const auto usable = usable_nics(topology);
  std::vector<std::size_t> num_served(topology.nics.size());
  std::vector<std::vector<std::size_t>> best(topology.gpus.size());
  std::vector<std::size_t> order(topology.gpus.size());
  for (std::size_t gpu = 0; gpu < best.size(); ++gpu) {
    best[gpu] = best_of(topology, gpu, usable);
    order[gpu] = gpu;
  }
  // GPUs with one choice take it first, so that those with several go around them.
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return best[a].size() < best[b].size(); });
  std::vector<Rail> rails(topology.gpus.size());
  for (const std::size_t gpu : order) {
    Rail& rail = rails[gpu];
    rail.gpu = gpu;
    if (best[gpu].empty()) continue;
    rail.nic = *std::min_element(best[gpu].begin(), best[gpu].end(),
                                 [&](auto a, auto b) { return num_served[a] < num_served[b]; });
    ++num_served[*rail.nic];
    rail.distance = topology.to_nic[gpu][*rail.nic];
    for (const std::size_t nic : best[gpu])
      if (nic != *rail.nic) rail.ties.push_back(nic);
  }
  return rails;
}

}  // namespace halyard::topology
