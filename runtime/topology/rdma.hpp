// The RDMA devices of a root and their ports, as /sys/class/infiniband shows them. Pure data after reading; what cannot
// be read stays empty and is named in `unreadable`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/root.hpp"
#include "topology/pci.hpp"

namespace halyard::topology {

/// One row of a port's GID table as sysfs spells it.
struct GidText {
  int index = 0;
  std::string gid;     // "0000:0000:0000:0000:0000:ffff:0a4d:0001"
  std::string type;    // "RoCE v2", "IB/RoCE v1"; empty: not readable
  std::string netdev;  // "eth2"
};

struct RdmaPort {
  int number = 0;
  std::string sysfs;                    // /sys/class/infiniband/mlx5_0/ports/1
  std::string state;                    // "ACTIVE", "DOWN", "INIT", "ARMED"; empty: not readable
  std::string physical_state;           // "LinkUp", "Polling", "Disabled"
  std::string link_layer;               // "InfiniBand", "Ethernet"
  double gbit_s = 0;                    // 0: not readable
  std::string rate;                     // "100 Gb/sec (4X EDR)"
  std::string netdev;                   // of an Ethernet port
  std::vector<GidText> gids;            // rows that are not empty, in order
  std::vector<std::string> unreadable;  // "…/gids/7: cannot be read (Invalid argument)"
};

struct RdmaDevice {
  std::string name;               // "mlx5_0"
  std::string sysfs;              // /sys/class/infiniband/mlx5_0
  std::optional<PciAddress> pci;  // none for soft-RoCE
  std::string firmware;           // "20.31.1014"; empty: not readable
  std::string board;              // "MT_0000000594"
  std::string verbs_node;         // "uverbs0"; empty: the kernel offers no way from user space
  std::vector<RdmaPort> ports;
};

struct RdmaDevices {
  facts::Access access = facts::Access::missing;  // of /sys/class/infiniband
  std::vector<RdmaDevice> devices;
};

RdmaDevices read_rdma_devices(const facts::Root& root);

/// "mlx5_0:1"
std::string name_of(const RdmaDevice& device, const RdmaPort& port);
bool is_active(const RdmaPort& port);

}  // namespace halyard::topology
