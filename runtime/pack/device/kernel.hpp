// kernel: runs Tables on a GPU, or its host twin on the emulated device. Data path.
#pragma once

#include <functional>

#include "device/device.hpp"
#include "pack/device/tables.hpp"

namespace halyard::pack::device {

/// Set-up: loads the kernels on a GPU now, since a kernel that is loaded when it is first launched waits for all that
/// run, among them perhaps one that waits for it. Throws Error.
void load_kernels(halyard::device::Device& device, int ordinal);

/// Enqueues one launch on a stream of GPU `ordinal`. Nothing is waited for.
Status launch(halyard::device::Device& device, int ordinal, const TracedLaunch& launch, Stream stream);

/// The host twin: the same reads, writes and words as the CUDA kernel, one chunk after the other. `view` answers where
/// the host finds a device address.
using HostView = std::function<std::byte*(const void* address)>;
void run_on_host(const TracedLaunch& launch, const HostView& view);

/// The CUDA kernel; refuses in a build without CUDA. `stream` is a cudaStream_t of the current GPU.
Status launch_cuda(const TracedLaunch& launch, Stream stream, int ordinal);
Status load_cuda_kernels(int ordinal);

}  // namespace halyard::pack::device
