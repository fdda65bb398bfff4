// The kernels behind ../stamps/clock.hpp: one that answers what time it is, one that marks a moment of a stream.
#include <cuda_runtime.h>

#include "pack/device/cuda/current_gpu.hpp"
#include "pack/device/cuda/words.cuh"
#include "pack/device/stamps/clock.hpp"

namespace halyard::pack::device {
namespace {

constexpr std::uint64_t kPatienceNs = 1'000'000'000;

// The least that the clock moves by.
__device__ std::uint64_t step_of_clock() {
  std::uint64_t least = ~std::uint64_t{0};
  for (int steps = 0; steps < 8; ++steps) {
    const std::uint64_t before = nanoseconds();
    std::uint64_t after = before;
    while (after == before) after = nanoseconds();
    least = after - before < least ? after - before : least;
  }
  return least;
}

__global__ void answer_clock(ClockTalk* talk) {
  talk->step_ns = step_of_clock();
  std::uint64_t heard = nanoseconds();
  for (std::uint64_t round = 1; round <= ClockTalk::kRounds;) {
    const std::uint64_t now = nanoseconds();
    if (now - heard > kPatienceNs) return;
    if (load_acquire(&talk->asked) < round) continue;
    heard = nanoseconds();
    *static_cast<volatile std::uint64_t*>(&talk->now_ns) = heard;
    store_release(&talk->answered, round++);
  }
}

__global__ void mark_moment(const __grid_constant__ StampLog log, std::uint64_t what) {
  Stamp stamp;
  stamp.begin = nanoseconds();
  stamp.what = what;
  append(log, stamp);
}

}  // namespace

Status answer_clock_cuda(ClockTalk* talk, Stream stream, int ordinal) {
  const CurrentGpu current(ordinal);
  answer_clock<<<1, 1, 0, static_cast<cudaStream_t>(stream.native)>>>(talk);
  return launched("launch a kernel that reads the clock", ordinal, cudaGetLastError());
}

Status mark_cuda(const StampLog& log, std::uint64_t what, Stream stream, int ordinal) {  // data path
  const CurrentGpu current(ordinal);
  mark_moment<<<1, 1, 0, static_cast<cudaStream_t>(stream.native)>>>(log, what);
  return launched("launch a kernel that marks a moment", ordinal, cudaGetLastError());
}

Status load_stamp_kernels_cuda(int ordinal) {
  const CurrentGpu current(ordinal);
  cudaFuncAttributes attributes;
  cudaError_t error = cudaFuncGetAttributes(&attributes, answer_clock);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, mark_moment);
  return launched("load the kernels that take times (built for compute capability 9.0 and newer)", ordinal, error);
}

}  // namespace halyard::pack::device
