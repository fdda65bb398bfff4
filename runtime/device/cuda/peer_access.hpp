// Whether kernels of one GPU may touch another's memory. Set-up only; any thread.
#pragma once

#include "device/cuda/gpu.hpp"

namespace halyard::device::cuda {

/// Throws Error(not_supported) when `user` cannot reach the memory of `owner`.
void demand_reach(const Gpu& user, const Gpu& owner);
/// The same, and lets `user` do so from now on, for all memory of `owner` in this process.
void enable_peer_access(Gpu& user, const Gpu& owner);

}  // namespace halyard::device::cuda
