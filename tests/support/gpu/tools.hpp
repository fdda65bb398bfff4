// GpuTools: what tests do to a GPU beside device::Device: memory of unusual kinds, slow work in a stream, graphs.
// Linked like device_under_test: gpu_tools_emulated.cpp or gpu_tools_cuda.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>

#include "device/device.hpp"

namespace halyard::test {

/// Memory that no other process can map.
enum class Unusual { pool, managed };

class GpuTools {
 public:
  virtual ~GpuTools() = default;

  virtual std::shared_ptr<void> allocate(Unusual kind, int ordinal, std::size_t bytes) = 0;
  /// At the address of the last block of this size that was freed, where the driver can be told to.
  virtual std::shared_ptr<void> allocate_again(int ordinal, std::size_t bytes) = 0;
  /// What is taken on the GPU, in a unit of the twin's own: blocks and mappings (emulated), bytes (CUDA).
  virtual std::uint64_t in_use(int ordinal) = 0;
  /// How far in_use may be off when nothing is left behind.
  virtual std::uint64_t tolerance() const = 0;

  /// Enqueues work that takes `time` and then copies `bytes` to `target`.
  virtual void enqueue_slow_copy(Stream stream, void* target, std::span<const std::byte> bytes,
                                 std::chrono::milliseconds time) = 0;

  virtual void begin_capture(Stream stream) = 0;
  virtual std::shared_ptr<void> end_capture(Stream stream) = 0;
  virtual void replay(const std::shared_ptr<void>& graph, Stream stream) = 0;
};

/// For the device that device_under_test() gave; it must live as long.
std::unique_ptr<GpuTools> gpu_tools(device::Device& device);

}  // namespace halyard::test
