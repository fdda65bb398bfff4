// EmulatedDevice: GPU logic where there is no GPU.
//
// "Device" memory cannot be touched by the host: it is an unreadable mapping with a hidden readable twin, so that any
// host-path touch of a device pointer is a crash at that very place. Streams are worker threads that run host twins of
// kernels, with delays on demand. Buffer ids are apart from addresses; addresses can be forced to be used again.
// Driver errors can be scripted. Several processes share memory as they would through IPC handles. For tests and
// `HALYARD_DEVICE=emulated`. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "device/device.hpp"

namespace halyard::device {

/// How the next allocations are made, and what they refuse.
struct EmulatedMemory {
  int ordinal = 0;
  MemoryKind kind = MemoryKind::device;  // device or managed
  std::string why_not_exportable;        // not empty: export_memory refuses with this text
  bool reuses_address = false;           // take the address of the last freed block of this size, with a new buffer id
  std::string why_no_dma_buf = {};       // not empty: export_dma_buf refuses with this text
  bool delays_remote_writes = false;     // what a NIC writes is seen after flush_remote_writes only
};

/// Calls that scripted failures can name.
enum class DriverCall { allocate, export_memory, open, launch, copy_in };

class EmulatedDevice : public Device {
 public:
  /// Allocations of `num_gpus` emulated GPUs. `visible` narrows what this object sees, as CUDA_VISIBLE_DEVICES does:
  /// ordinal i is GPU visible[i].
  static std::shared_ptr<EmulatedDevice> make(int num_gpus = 2, std::vector<int> visible = {});

  /// Memory as a test wants it; deallocate() frees it.
  virtual void* allocate_as(const EmulatedMemory& how, std::size_t bytes) = 0;

  /// The readable twin of a device address, for host twins of kernels and for nobody else. Host, pinned and mapped
  /// memory is its own twin. Null for device memory that is freed: the caller crashes, as a kernel would.
  virtual std::byte* host_view(const void* address) const = 0;

  /// Writes as a NIC does: past all streams, and with a completion that says nothing about when kernels see the bytes.
  virtual void write_remotely(void* target, const void* source, std::size_t bytes) = 0;

  /// Runs `work` after everything already in the stream; records it while the stream is capturing.
  virtual Status enqueue(Stream stream, std::function<void()> work) = 0;

  /// Each piece of work on the stream begins at least this late after it was enqueued.
  virtual void set_delay(Stream stream, std::chrono::microseconds delay) = 0;
  /// As cudaDeviceReset: GPU `ordinal` ends what its streams still have to do and takes back all memory of this process
  /// on it, and its next life begins.
  virtual void reset(int ordinal) = 0;
  /// The next `times` calls fail with `text`, as if the driver had said so.
  virtual void fail_next(DriverCall call, int times, std::string text) = 0;

  /// Capture into a graph that can be replayed on any stream, any number of times.
  virtual void begin_capture(Stream stream) = 0;
  virtual std::shared_ptr<void> end_capture(Stream stream) = 0;
  virtual void replay(const std::shared_ptr<void>& graph, Stream stream) = 0;

  struct Counts {
    std::uint64_t allocations = 0, deallocations = 0, opens = 0, closes = 0, launches = 0, copies = 0, synchronizes = 0,
                  flushes = 0, stream_copies = 0, mapped_allocations = 0;
  };
  virtual Counts counts() const = 0;
};

}  // namespace halyard::device
