// See gather.hpp.
#include "particles/cuda/gather.hpp"

namespace halyard::bench {
namespace {

constexpr int kThreads = 256;

__global__ void gather(const __grid_constant__ GatherList list) {
  const int unit = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int i = unit / 3;
  const int c = unit % 3;
  if (i < list.count)
    list.out[unit] = list.x[3 * static_cast<std::int64_t>(list.numbers[i]) + c] + list.shifts[list.codes[i]][c];
}

__global__ void copy(double* to, const double* from, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) to[i] = from[i];
}

unsigned blocks(std::int64_t threads) { return static_cast<unsigned>((threads + kThreads - 1) / kThreads); }

}  // namespace

void launch_gather(const GatherList& list, cudaStream_t stream) {
  if (list.count > 0) gather<<<blocks(3 * std::int64_t{list.count}), kThreads, 0, stream>>>(list);
}

void launch_copy(double* to, const double* from, std::int64_t count, cudaStream_t stream) {
  if (count > 0) copy<<<blocks(count), kThreads, 0, stream>>>(to, from, count);
}

}  // namespace halyard::bench
