// How an RDMA device comes to know GPU memory: the ways among which memory/device_routes.hpp chooses. Set-up only.
#pragma once

#include "memory/device_routes.hpp"
#include "transport/verbs/handles.hpp"

namespace halyard::transport::verbs {

/// What is allowed of registered memory.
inline constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

/// The protection domain must outlive what the ways make.
memory::DeviceRoutes::Ways ways_to_gpu_memory(ibv_pd& domain, const device::Device& device);

}  // namespace halyard::transport::verbs
