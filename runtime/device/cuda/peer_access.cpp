// See peer_access.hpp.
#include "device/cuda/peer_access.hpp"

#include <fmt/format.h>

#include "halyard/status.hpp"

namespace halyard::device::cuda {
namespace {

std::string reach_text(const Gpu& user, const Gpu& owner) {
  return fmt::format("reach memory of {} from {}", owner.description(), user.description());
}

}  // namespace

void demand_reach(const Gpu& user, const Gpu& owner) {
  int can = 0;
  demand(cudaDeviceCanAccessPeer(&can, user.ordinal(), owner.ordinal()), reach_text(user, owner),
         "see nvidia-smi topo");
  if (can == 0)
    throw Error(StatusCode::not_supported,
                fmt::format("{}: the driver says that they cannot; see nvidia-smi topo -p2p r, or use another path",
                            reach_text(user, owner)));
}

void enable_peer_access(Gpu& user, const Gpu& owner) {
  demand_reach(user, owner);
  const UseGpu use(user);
  use.demand(reach_text(user, owner));
  const AllowDuringCapture allow;
  const cudaError_t error = cudaDeviceEnablePeerAccess(owner.ordinal(), 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled) {
    (void)cudaGetLastError();
    return;
  }
  demand(error, reach_text(user, owner), "see nvidia-smi topo -p2p r, or use another path", StatusCode::not_supported);
}

}  // namespace halyard::device::cuda
