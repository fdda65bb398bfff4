// rails: which NIC is nearest to each GPU, are the equally near ones spread, and must some GPU's data cross to another
// socket (field case N05)?
#include "topology/rails.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diagnose/pcie/checks.hpp"
#include "diagnose/words.hpp"

namespace halyard::diagnose::pcie {
namespace {

using topology::Distance;
using topology::Rail;
using topology::Topology;

std::string place_of(const Topology& topology, std::size_t gpu) {
  const topology::Gpu& found = topology.gpus[gpu];
  return found.address ? fmt::format("{} ({})", found.name, text_of(*found.address)) : found.name;
}

std::string line_of(const Topology& topology, const Rail& rail) {
  if (!rail.nic) return place_of(topology, rail.gpu) + " -> none";
  std::vector<std::string> ties;
  for (const std::size_t nic : rail.ties) ties.push_back(topology.nics[nic].name);
  return fmt::format("{} -> {} {}{}", place_of(topology, rail.gpu), topology.nics[*rail.nic].name,
                     name_of(rail.distance), ties.empty() ? "" : ", as near: " + listed(ties));
}

std::vector<std::string> gpus_at(const Topology& topology, const std::vector<Rail>& rails, Distance distance) {
  std::vector<std::string> names;
  for (const Rail& rail : rails)
    if (rail.nic && rail.distance == distance) names.push_back(topology.gpus[rail.gpu].name);
  return names;
}

// How many GPUs the busiest NIC serves, and its name.
std::pair<std::size_t, std::string> busiest(const Topology& topology, const std::vector<Rail>& rails) {
  std::vector<std::size_t> served(topology.nics.size());
  for (const Rail& rail : rails)
    if (rail.nic) ++served[*rail.nic];
  const auto most = std::max_element(served.begin(), served.end());
  return {*most, topology.nics[static_cast<std::size_t>(most - served.begin())].name};
}

// Several GPUs behind one port share its bandwidth; two on one are usual, as are two ports of one GPU pair.
constexpr std::size_t kMostGpusPerNic = 2;

void judge(const Topology& topology, const std::vector<Rail>& rails, Finding& finding) {
  const auto far = gpus_at(topology, rails, Distance::sys);
  const auto unknown = gpus_at(topology, rails, Distance::unknown);
  const auto [num_served, name] = busiest(topology, rails);
  finding.verdict = Verdict::ok;
  finding.summary = fmt::format("{} GPUs have a NIC on their side of the machine", rails.size());
  if (!unknown.empty()) {
    finding.verdict = Verdict::unknown;
    finding.summary = "how far the NIC is cannot be told for " + listed(unknown);
  }
  if (num_served > kMostGpusPerNic) {
    finding.verdict = Verdict::warn;
    finding.summary = fmt::format("{} GPUs share {}", num_served, name);
    finding.remedy = "plan for its bandwidth divided by that number; more ranks per node do not make it faster";
  }
  if (!far.empty()) {
    finding.verdict = Verdict::warn;
    finding.summary = fmt::format("{} {} no NIC on the own socket", listed(far), far.size() == 1 ? "has" : "have");
    finding.remedy =
        "expect about half the bandwidth there: move a NIC to a slot of that socket, or give such ranks' "
        "neighbors on the same node the long faces";
  }
}

}  // namespace

Findings check_rails(const Machine& machine) {
  const Topology& topology = machine.topology();
  if (topology.gpus.empty() || topology.nics.empty()) return nothing_to_check("needs GPUs and RDMA devices");
  const auto rails = topology::assign_rails(topology);
  Finding finding;
  for (const Rail& rail : rails) finding.evidence.push_back(line_of(topology, rail));
  const bool has_nic = std::any_of(rails.begin(), rails.end(), [](const Rail& rail) { return rail.nic.has_value(); });
  if (has_nic) {
    judge(topology, rails, finding);
  } else {
    finding.verdict = Verdict::fail;
    finding.summary = "no RDMA port is up: no GPU has a NIC";
    finding.remedy = "run 'halyard doctor --check port'";
  }
  return {finding};
}

}  // namespace halyard::diagnose::pcie
