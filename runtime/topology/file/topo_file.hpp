// TopoFile: a Topology from a saved description of a machine: hwloc's XML (lstopo x.xml), NCCL's XML
// (NCCL_TOPO_DUMP_FILE) or the text of `nvidia-smi topo -m`. For `halyard doctor --topo FILE`. Pure; any thread.
//
// Such files come from mail and trackers: cut off, columns run together, anything. What can be read is, and what could
// not is said in `troubles`. Nothing here throws for what the text holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topology/topology.hpp"

namespace halyard::topology {

struct TopoFile {
  std::string format;  // "hwloc XML", "NCCL XML", "nvidia-smi topo -m"; empty: none of them
  Topology topology;
  std::vector<std::string> nvlinks;   // "GPU0-GPU1", where the file names NVLinks
  std::vector<std::string> troubles;  // in words
};

inline constexpr std::size_t kMaxTopoBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMaxTopoDevices = 512;

/// A text of more than kMaxTopoBytes is cut there. A text of no known format has no devices and says so.
TopoFile read_topo(std::string_view text);

/// The verdict first, then the nearest NICs of each GPU, and the troubles.
std::string text_of(const TopoFile& file);

// The three readers; read_topo chooses.
TopoFile read_hwloc_xml(std::string_view text);
TopoFile read_nccl_xml(std::string_view text);
TopoFile read_smi_matrix(std::string_view text);

}  // namespace halyard::topology
