// The wire between the two RDMA devices of the VM: counted, hurt and mended. Needs root and the network of
// machine/networks.sh; rank 0 acts, all ranks wait for it.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "mpi/ways.hpp"

namespace halyard::test {

/// The ways that cross the wire.
inline constexpr std::array kWireWays{kVerbs, kUcx};

/// RoCE packets that this machine's devices have sent so far.
std::uint64_t packets_sent();
/// How many "qp" or "mr" all devices of the machine hold, as the kernel counts them.
std::ptrdiff_t rdma_resources(const std::string& kind);

/// Collective. Runs a shell command on rank 0; throws std::runtime_error on every rank when it fails.
void run_on_first_rank(const std::string& command);

/// Packets that a queueing discipline of `netdev` has thrown away.
std::uint64_t packets_lost(const std::string& netdev);

/// As long as it lives the wire is as `command` made it; then it is whole again. Both collective.
class HurtWire {
 public:
  explicit HurtWire(const std::string& command);
  HurtWire(const HurtWire&) = delete;
  HurtWire& operator=(const HurtWire&) = delete;
  ~HurtWire();
};

}  // namespace halyard::test
