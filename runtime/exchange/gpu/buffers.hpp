// Owned memory of a binding on a GPU: freed through the device that gave it.
#pragma once

#include <cstddef>
#include <memory>

#include "device/device.hpp"

namespace halyard::exchange::gpu {

struct FreeOnGpu {
  std::shared_ptr<device::Device> device;
  void operator()(std::byte* memory) const { device->deallocate(memory); }
};
struct FreeMapped {
  std::shared_ptr<device::Device> device;
  void operator()(std::byte* memory) const { device->deallocate_mapped(memory); }
};
using GpuBuffer = std::unique_ptr<std::byte, FreeOnGpu>;
using MappedBuffer = std::unique_ptr<std::byte, FreeMapped>;

inline GpuBuffer gpu_buffer(const std::shared_ptr<device::Device>& device, int ordinal, std::size_t bytes) {
  return {static_cast<std::byte*>(device->allocate(ordinal, bytes)), {device}};
}
inline MappedBuffer mapped_buffer(const std::shared_ptr<device::Device>& device, std::size_t bytes) {
  return {static_cast<std::byte*>(device->allocate_mapped(bytes)), {device}};
}

}  // namespace halyard::exchange::gpu
