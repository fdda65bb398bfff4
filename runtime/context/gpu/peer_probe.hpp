// peer_probe: finds which ranks of this node can store into each other's GPU memory, by trying it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "context/bootstrap.hpp"
#include "device/device.hpp"
#include "halyard/path.hpp"

namespace halyard::context::gpu {

/// Collective. `device` may be null on some ranks, with the reason in `why_none`. Each rank shows a piece of GPU memory
/// to the node's other ranks, who map it on their current GPU and read a number there. Never throws for what a driver
/// refuses: the refusal, by rank, is in the fact.
PathFact probe_peers(Bootstrap& bootstrap, const std::shared_ptr<device::Device>& device, const std::string& why_none);

/// Collective. By ordinal of `device`, which may be null: how many ranks of this node have it as their current GPU.
std::vector<int> ranks_per_gpu(Bootstrap& bootstrap, const device::Device* device);

}  // namespace halyard::context::gpu
