// TopoFile: what a saved description of a machine says of its GPUs and NICs: hwloc's XML (lstopo x.xml), NCCL's XML
// (NCCL_TOPO_DUMP_FILE) or the text of `nvidia-smi topo -m`. Read for `halyard doctor --topo FILE`. Pure; any thread.
//
// Files come from mail and trackers: cut off, columns run together, anything. Whatever can be read is, and what could
// not is said in `troubles`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::diagnose {

/// How far apart two devices are, nearest first, in nvidia-smi's terms.
enum class Nearness : std::uint8_t {
  same,     // the device itself
  nvlink,   // NVLink
  pix,      // one PCIe switch
  pxb,      // several PCIe switches, no host bridge
  phb,      // one host bridge
  node,     // host bridges of one NUMA node
  sys,      // NUMA nodes
  unknown,  // the file does not say
};

/// "PIX", …; "?" for unknown.
std::string_view name_of(Nearness nearness);

enum class TopoKind : std::uint8_t { gpu, nic };

struct TopoDevice {
  TopoKind kind = TopoKind::gpu;
  std::string name;    // "GPU0", "mlx5_0"
  std::string bus_id;  // "0000:1b:00.0"; empty when the file does not say
  int numa_node = -1;  // -1: the file does not say
};

struct TopoFile {
  std::string format;                            // "hwloc XML", "NCCL XML", "nvidia-smi topo -m"
  std::vector<TopoDevice> devices;               // GPUs first
  std::vector<std::vector<Nearness>> nearness;   // [device][device]
  std::vector<std::string> troubles;             // what could not be read, in words
};

inline constexpr std::size_t kMaxTopoBytes = std::size_t{8} << 20;
inline constexpr std::size_t kMaxTopoDevices = 256;

/// Never throws for what the text holds. A text that is none of the three formats has no devices and says so.
TopoFile read_topo(std::string_view text);

/// For each GPU the NICs that are nearest to it, and a line for each trouble: at most a screen.
std::string text_of(const TopoFile& topo);

// The three readers; read_topo chooses.
TopoFile read_hwloc_xml(std::string_view text);
TopoFile read_nccl_xml(std::string_view text);
TopoFile read_smi_matrix(std::string_view text);

}  // namespace halyard::diagnose
