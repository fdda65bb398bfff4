// Which ports of which devices carry the messages: what is asked for, or the nearest active one.
//
// choose_ports is pure and tested with written lists; list_ports asks libibverbs and sysfs, and says in words what
// keeps a device from being used (field case N06).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "transport/verbs/handles.hpp"

namespace halyard::transport::verbs {

struct PortFacts {
  std::string device;  // "mlx5_0"
  int port = 1;
  bool is_active = false;
  std::string trouble;  // why it cannot be used, when it cannot
  int numa_node = -1;   // -1: not known
  double gbit_s = 0;
  std::shared_ptr<DeviceContext> opened = {};  // as it was opened to look; whoever uses the port may take it
};

/// "mlx5_0:1"
std::string name_of(const PortFacts& port);

struct PortWish {
  std::string text;      // "", "mlx5_0", "mlx5_0:2", "mlx5_0,mlx5_1": one rail each
  int numa_node = -1;    // where this process runs; -1: not known
  int rank_on_node = 0;  // spreads ranks over equally near ports
};

/// One port per rail. Without a wish one: active, then near, then fast; equals are dealt to ranks in turn. Throws Error
/// that says what was asked for, what is there and what to do.
std::vector<PortFacts> choose_ports(const std::vector<PortFacts>& ports, const PortWish& wish);

/// Every port that libibverbs or sysfs knows of.
std::vector<PortFacts> list_ports();

/// The NUMA node of the core on which this thread runs; -1 when not known.
int own_numa_node();

/// The opened device of that name. Throws Error(not_supported).
DeviceContext open_device(const std::string& name);

}  // namespace halyard::transport::verbs
