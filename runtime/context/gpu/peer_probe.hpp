// peer_probe: finds which ranks of this node can store into each other's GPU memory, by trying it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "context/bootstrap.hpp"
#include "device/device.hpp"
#include "halyard/path.hpp"

namespace halyard::context::gpu {

struct PeerProbe {
  PathFact fact;
  std::vector<int> ranks_per_gpu;  // by ordinal: ranks of this node whose current GPU it is
};

/// Collective. `device` may be null on some ranks, with the reason in `why_none`. Each rank shows a piece of GPU memory
/// to the other ranks of its `node`, who map it on their current GPU and read a number there. Never throws for what a
/// driver refuses: the refusal, by rank, is in the fact.
PeerProbe probe_peers(Bootstrap& bootstrap, const std::vector<int>& node, const std::shared_ptr<device::Device>& device,
                      const std::string& why_none);

}  // namespace halyard::context::gpu
