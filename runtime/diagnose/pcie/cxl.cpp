// cxl: NUMA nodes of memory without CPUs, and CXL devices. Buffers that land there are slower to reach than the name of
// an ordinary node says; they are named so that nobody wonders.
#include <fmt/format.h>

#include "diagnose/pcie/checks.hpp"
#include "diagnose/words.hpp"
#include "facts/text.hpp"

namespace halyard::diagnose::pcie {
namespace {

constexpr const char* kNodes = "/sys/devices/system/node";
constexpr const char* kCxl = "/sys/bus/cxl/devices";

std::vector<std::string> cxl_memories(const facts::Root& root) {
  std::vector<std::string> names;
  for (const std::string& name : root.list(kCxl).names)
    if (name.starts_with("mem")) names.push_back(name);
  return names;
}

std::string memory_of(const facts::Root& root, const std::string& node) {
  const auto text = root.read(fmt::format("{}/{}/meminfo", kNodes, node), 16384);
  for (const std::string_view line : facts::lines_of(text.text))
    if (const std::size_t at = line.find("MemTotal:"); at != std::string_view::npos)
      return facts::quoted_text(line.substr(at + 9), 30);
  return "of unknown size";
}

// "node2 (536870912 kB)"; each read list goes to `evidence`.
std::vector<std::string> nodes_without_cpus(const facts::Root& root, std::vector<std::string>& evidence) {
  std::vector<std::string> nodes;
  for (const std::string& node : root.list(kNodes).names) {
    if (!node.starts_with("node")) continue;
    const std::string path = fmt::format("{}/{}/cpulist", kNodes, node);
    const auto cpus = root.read(path, 4096);
    if (!cpus.ok() || !facts::trimmed(cpus.text).empty()) continue;
    evidence.push_back(facts::evidence_of(path, cpus));
    nodes.push_back(fmt::format("{} ({})", node, memory_of(root, node)));
  }
  return nodes;
}

}  // namespace

Findings check_cxl(const Machine& machine) {
  const facts::Root& root = machine.root();
  const auto listing = root.list(kNodes);
  if (!listing.ok() && listing.access != facts::Access::missing)
    return {{"",
             "",
             Verdict::unknown,
             "the NUMA nodes cannot be read",
             {facts::evidence_of(kNodes, {listing.access})},
             ""}};
  Finding finding;
  const auto nodes = nodes_without_cpus(root, finding.evidence);
  const auto memories = cxl_memories(root);
  if (nodes.empty() && memories.empty()) return nothing_to_check("no CXL device and no NUMA node without CPUs");
  finding.verdict = Verdict::ok;
  finding.summary = nodes.empty() ? "CXL memory is there and no NUMA node of its own"
                                  : fmt::format("memory without CPUs ({}): {}",
                                                memories.empty() ? "of GPUs, HBM or CXL" : "CXL", listed(nodes));
  if (!memories.empty()) finding.evidence.push_back(fmt::format("{}: {}", kCxl, listed(memories)));
  finding.remedy = nodes.empty() ? "" : "keep message buffers off it: numactl --membind, or the node's memory policy";
  return {finding};
}

}  // namespace halyard::diagnose::pcie
