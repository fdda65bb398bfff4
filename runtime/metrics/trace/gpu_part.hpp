// What a trace has of GPUs: the rows that their events stand in, their clocks, and whoever marks ranges in streams.
//
// Kernels of a binding that start follow each other, and so do those that finish; but the one may run beside the other.
// Hence two rows for each binding, and one for each stream in which the program marks ranges.
#pragma once

#include <cstdint>

#include "halyard/stream.hpp"

namespace halyard::metrics {

/// A row of a GPU, as What::thread holds it.
class GpuRow {
 public:
  enum class Of : std::uint8_t { sending, receiving, stream };

  static GpuRow sending(std::uint32_t binding) { return GpuRow(of_binding(binding)); }
  static GpuRow receiving(std::uint32_t binding) { return GpuRow(of_binding(binding) + 1U); }
  static GpuRow stream(std::uint32_t number) { return GpuRow(kStream | (number & ~kStream)); }
  static GpuRow of_code(std::uint16_t code) { return GpuRow(code); }

  std::uint16_t code() const { return code_; }
  Of of() const { return (code_ & kStream) != 0 ? Of::stream : (code_ & 1U) != 0 ? Of::receiving : Of::sending; }

 private:
  static constexpr std::uint32_t kStream = 0x8000;  // beside more than 16,384 bindings rows are shared

  explicit GpuRow(std::uint32_t code) : code_(static_cast<std::uint16_t>(code)) {}
  static std::uint32_t of_binding(std::uint32_t binding) { return 2U * binding & ~kStream; }

  std::uint16_t code_;
};

/// Two readings of a GPU's clock beside the steady clock, in nanoseconds: what lies between is told from both.
struct GpuClock {
  std::uint8_t gpu = 0;  // its ordinal + 1
  std::uint8_t unused[7] = {};
  std::int64_t first_gpu_ns = 0;
  std::int64_t first_steady_ns = 0;
  std::int64_t last_gpu_ns = 0;
  std::int64_t last_steady_ns = 0;
  std::int64_t within_ns = 0;  // either reading may be off by so much
  std::int64_t step_ns = 0;    // that the GPU's clock moves by

  std::int64_t steady_ns(std::int64_t gpu_ns) const {
    const auto span = static_cast<double>(last_gpu_ns - first_gpu_ns);
    const auto drift = static_cast<double>((last_steady_ns - first_steady_ns) - (last_gpu_ns - first_gpu_ns));
    const std::int64_t since = gpu_ns - first_gpu_ns;
    const double part = span > 0 ? static_cast<double>(since) / span : 0;
    return first_steady_ns + since + static_cast<std::int64_t>(drift * part);
  }
};

/// Marks where the program's ranges begin and end in streams of a GPU.
class StreamMarks {
 public:
  StreamMarks() = default;
  StreamMarks(const StreamMarks&) = delete;
  StreamMarks& operator=(const StreamMarks&) = delete;
  virtual ~StreamMarks() = default;

  /// A number for end(); 0: this stream cannot be marked.
  virtual std::uint32_t begin(const char* name, Stream stream) = 0;
  virtual void end(std::uint32_t range, Stream stream) = 0;
};

}  // namespace halyard::metrics
