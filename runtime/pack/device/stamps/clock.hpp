// clock: how a GPU's clock stands to the steady clock of the host, and marks of the GPU's clock in a stream. Set-up but
// for mark(), which enqueues one small kernel.
#pragma once

#include <cstdint>

#include "device/device.hpp"
#include "pack/device/stamps/stamp.hpp"

namespace halyard::pack::device {

/// One moment on both clocks, in nanoseconds.
struct ClockReading {
  std::int64_t host_ns = 0;
  std::int64_t gpu_ns = 0;
  std::int64_t within_ns = 0;  // the two may be off by so much
  std::int64_t step_ns = 0;    // the GPU's clock moves in steps of about this
};

/// Asks the GPU for its time some times and takes the fastest answer. Throws Error when it does not answer.
ClockReading read_clock(halyard::device::Device& device, int ordinal);

/// Enqueues a stamp that holds the time when the stream comes there. Nothing is waited for.
Status mark(halyard::device::Device& device, int ordinal, const StampLog& log, std::uint64_t what, Stream stream);

/// The clock of the emulated device: it stands elsewhere than the host's, as a GPU's does.
std::uint64_t emulated_clock_ns();

/// What the host and the kernel that answers tell each other, in mapped host memory.
struct ClockTalk {
  static constexpr std::uint32_t kRounds = 24;

  std::uint64_t asked = 0;  // rounds
  std::uint64_t unused[7] = {};
  std::uint64_t answered = 0;  // rounds
  std::uint64_t now_ns = 0;    // in the last of them
  std::uint64_t step_ns = 0;
};

/// The kernels; they refuse in a build without CUDA. The first ends by itself when nobody asks for some time.
Status answer_clock_cuda(ClockTalk* talk, Stream stream, int ordinal);
Status mark_cuda(const StampLog& log, std::uint64_t what, Stream stream, int ordinal);
/// Set-up: see load_kernels().
Status load_stamp_kernels_cuda(int ordinal);

}  // namespace halyard::pack::device
