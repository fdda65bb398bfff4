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

/// Memory that is replaced by more of it, with room to spare, when it does not suffice. What it held is lost then, so
/// nothing may be using it.
template <class Buffer>
class Room {
 public:
  using Make = Buffer (*)(const std::shared_ptr<device::Device>&, int, std::size_t);
  explicit Room(Make make) : make_(make) {}

  /// At least `bytes`. Throws Error(out_of_resources).
  std::byte* fit(const std::shared_ptr<device::Device>& device, int ordinal, std::size_t bytes) {
    if (bytes > bytes_ || buffer_ == nullptr) {
      bytes_ = 0;
      buffer_.reset();
      const std::size_t wanted = bytes + bytes / 4 + 4096;
      buffer_ = make_(device, ordinal, wanted);
      bytes_ = wanted;
    }
    return buffer_.get();
  }
  std::byte* get() const { return buffer_.get(); }

 private:
  Make make_;
  Buffer buffer_;
  std::size_t bytes_ = 0;
};

class GpuRoom : public Room<GpuBuffer> {
 public:
  GpuRoom() : Room(&gpu_buffer) {}
};
class MappedRoom : public Room<MappedBuffer> {
 public:
  MappedRoom()
      : Room([](const std::shared_ptr<device::Device>& device, int, std::size_t bytes) {
          return mapped_buffer(device, bytes);
        }) {}
};

}  // namespace halyard::exchange::gpu
