// Whether GPU memory can be registered with an RDMA device, by trying it on one page. For the doctor; slow.
#pragma once

#include <string>

#include "device/device.hpp"

namespace halyard::transport::verbs {

/// What memory::DeviceRoutes::text says after the trial on the first usable port: "dma-buf", "nvidia_peermem (dma-buf:
/// …)", "none (dma-buf: …; nvidia_peermem: …)". Throws Error when there is no port, no GPU, or no libibverbs in this
/// build: then nothing was tried.
std::string try_gpu_memory(device::Device& device);

}  // namespace halyard::transport::verbs
