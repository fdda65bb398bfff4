// Stamps: what the kernels of a context's exchanges say of themselves, on its way into the trace, and ranges that the
// program marks in its streams. Exists only while a trace is taken.
//
// Each GPU has a ring in mapped host memory that kernels write (pack/device/stamps/stamp.hpp) and that the host empties
// whenever it comes by: when it starts or finishes an exchange, waits, or ends. Replays of graphs are seen, too. What
// is overwritten before the host came is counted as dropped. Times stay those of the GPU's clock; it is read beside the
// host's when the ring is made and when all ends.
//
// Made by the context, set-up. Its bindings hold it; drain() and the marks from any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device.hpp"
#include "exchange/gpu/buffers.hpp"
#include "metrics/trace/trace.hpp"
#include "pack/device/stamps/clock.hpp"
#include "pack/device/stamps/stamp.hpp"

namespace halyard::exchange::gpu {

class Stamps final : public metrics::StreamMarks {
 public:
  static constexpr std::uint32_t kCapacity = 1U << 15;  // 2 MiB

  /// `trace` lives as long; `num_slots` is a power of two.
  Stamps(metrics::Trace& trace, std::shared_ptr<device::Device> device, std::uint32_t num_slots = kCapacity);
  ~Stamps() override;

  /// Set-up: where kernels of a GPU put their stamps. Throws Error.
  pack::device::StampLog log_of(int ordinal);
  /// Set-up: what an exchange of a binding moves, for the trace.
  void describe(std::uint64_t binding, std::int64_t sent_bytes, std::int64_t received_bytes);

  /// Takes what has come into the trace; nothing when another thread is at it. Neither waits nor allocates, but for
  /// ranges that are nested deeper than ever before.
  void drain();
  /// All kernels have ended: takes the rest, and reads the clocks again.
  void end();

  std::uint32_t begin(const char* name, Stream stream) override;
  void end(std::uint32_t range, Stream stream) override;

 private:
  struct Gpu {
    int ordinal = 0;
    MappedBuffer ring;
    GpuBuffer next;
    pack::device::StampLog log;
    pack::device::ClockReading first;
    std::uint64_t place = 0;  // of the stamp that comes next

    metrics::What what(metrics::EventKind kind) const;
  };
  struct Bytes {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  /// A name in a stream.
  struct Range {
    const char* name = nullptr;
    Stream stream;
    std::uint32_t row = 0;
    std::vector<std::uint64_t> open;  // when those began that have not ended
  };

  void drain_all();
  void drain(Gpu& gpu);
  void take(const Gpu& gpu, const pack::device::Stamp& stamp);
  void take_exchange(const Gpu& gpu, const pack::device::Stamp& stamp);
  void take_mark(const Gpu& gpu, const pack::device::Stamp& stamp);
  void lose(std::uint64_t num_stamps);
  const Gpu* gpu_of(Stream stream) const;
  std::uint32_t range_of(const char* name, Stream stream);
  metrics::GpuClock clock_of(const Gpu& gpu) const;

  metrics::Trace& trace_;
  std::shared_ptr<device::Device> device_;
  const std::uint32_t num_slots_;
  std::mutex mutex_;  // of all below
  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::map<std::uint32_t, Bytes> bytes_;  // by binding
  std::vector<Range> ranges_;             // number - 1
};

}  // namespace halyard::exchange::gpu
