// The kernels of searches, see ../search.hpp. A warp takes a segment, 32 particles at a time, and 32 groups at a time:
// lane l keeps the count of group l, so members stay in order without a word to another warp.
#include <cuda_runtime.h>

#include <algorithm>

#include "pack/device/cuda/current_gpu.hpp"
#include "pack/device/tables.hpp"
#include "particles/device/kernels.hpp"

namespace halyard::particles::device::cuda {
namespace {

using pack::device::CurrentGpu;
using pack::device::launched;

constexpr unsigned kWarp = 32;
constexpr unsigned kThreads = 256;
constexpr unsigned kScanThreads = 1024;

enum class Pass { count, list };

template <Pass kPass, class Search>
__device__ void take_segment(const Search& search, const Selection& s, std::uint32_t segment,
                             std::uint32_t first_group) {
  const unsigned lane = threadIdx.x % kWarp;
  const std::uint32_t num_groups = min(kWarp, s.num_groups - first_group);
  std::uint32_t* const count = s.counts + std::size_t{first_group + lane} * s.num_segments + segment;
  std::uint32_t mine = 0;  // of group first_group + lane
  if (kPass == Pass::list && lane < num_groups) mine = s.first[first_group + lane] + *count;
  const std::int64_t end = min((std::int64_t{segment} + 1) * kSegment, s.num_particles);
  for (std::int64_t base = std::int64_t{segment} * kSegment; base < end; base += kWarp) {
    const std::int64_t i = base + lane;
    Found found;
    if (i < end) found = search.look(i);
    if (__ballot_sync(~0U, found.is_any) == 0) continue;
    for (std::uint32_t g = 0; g < num_groups; ++g) {
      const bool is_member = found.is_any && search.belongs(found, first_group + g);
      const unsigned members = __ballot_sync(~0U, is_member);
      if (kPass == Pass::list) {
        const std::uint32_t at = __shfl_sync(~0U, mine, static_cast<int>(g)) + __popc(members & ((1U << lane) - 1U));
        if (is_member && at < s.capacity) s.numbers[at] = static_cast<std::int32_t>(i);
      }
      if (lane == g) mine += __popc(members);
    }
  }
  if (kPass == Pass::count && lane < num_groups) *count = mine;
}

template <Pass kPass, class Search>
__global__ void __launch_bounds__(kThreads) look(const __grid_constant__ Search search, const Selection selection) {
  const std::uint32_t segment = (blockIdx.x * kThreads + threadIdx.x) / kWarp;
  if (segment >= selection.num_segments) return;
  for (std::uint32_t group = 0; group < selection.num_groups; group += kWarp)
    take_segment<kPass>(search, selection, segment, group);
}

// The sum of what lanes and warps before this thread hold, and of all.
__device__ std::uint32_t exclusive_sum(std::uint32_t value, std::uint32_t& all) {
  __shared__ std::uint32_t of_warp[kWarp];
  const unsigned lane = threadIdx.x % kWarp;
  std::uint32_t sum = value;
  for (unsigned step = 1; step < kWarp; step *= 2) {
    const std::uint32_t below = __shfl_up_sync(~0U, sum, step);
    if (lane >= step) sum += below;
  }
  __syncthreads();  // of_warp may still be read
  if (lane == kWarp - 1) of_warp[threadIdx.x / kWarp] = sum;
  __syncthreads();
  std::uint32_t before = 0;
  all = 0;
  for (unsigned w = 0; w < kScanThreads / kWarp; ++w) {
    if (w < threadIdx.x / kWarp) before += of_warp[w];
    all += of_warp[w];
  }
  return before + sum - value;
}

// Members of each group become beginnings of their numbers. By the last block; what the others wrote is in L2.
__device__ void begin_groups(const Selection& selection) {
  std::uint32_t begin = 0;
  for (std::uint32_t base = 0; base < selection.num_groups; base += kScanThreads) {
    const std::uint32_t g = base + threadIdx.x;
    const std::uint32_t value = g < selection.num_groups ? __ldcg(selection.first + g + 1) : 0;
    std::uint32_t all = 0;
    const std::uint32_t before = exclusive_sum(value, all);
    if (g < selection.num_groups) selection.first[g + 1] = begin + before + value;
    begin += all;
  }
  if (threadIdx.x == 0) selection.first[0] = 0;
}

// One block for each group.
__global__ void __launch_bounds__(kScanThreads) scan(const Selection selection) {
  std::uint32_t* const counts = selection.counts + std::size_t{blockIdx.x} * selection.num_segments;
  std::uint32_t begin = 0;
  for (std::uint32_t base = 0; base < selection.num_segments; base += kScanThreads) {
    const std::uint32_t s = base + threadIdx.x;
    const std::uint32_t value = s < selection.num_segments ? counts[s] : 0;
    std::uint32_t all = 0;
    const std::uint32_t before = exclusive_sum(value, all);
    if (s < selection.num_segments) counts[s] = begin + before;
    begin += all;
  }
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    selection.told[blockIdx.x] = begin;
    selection.first[blockIdx.x + 1] = begin;
    __threadfence();
    is_last = atomicInc(selection.num_scanned, gridDim.x - 1) == gridDim.x - 1;  // leaves 0 behind
    __threadfence();
  }
  __syncthreads();
  if (is_last) begin_groups(selection);
}

__global__ void __launch_bounds__(kThreads)
    link_chain(const Selection selection, std::uint32_t count, std::uint32_t* words) {
  const std::uint32_t q = blockIdx.x * kThreads + threadIdx.x;
  if (q < count) words[q] = chain_of(selection, q, pack::device::kNotFirst);
}

__global__ void __launch_bounds__(kThreads) place(const Landed landed, std::uint32_t count) {
  const std::uint32_t q = blockIdx.x * kThreads + threadIdx.x;
  if (q < count) landed.offsets[q] = landed_at(landed, q);
}

unsigned blocks_for(std::uint64_t threads) { return static_cast<unsigned>((threads + kThreads - 1) / kThreads); }

template <Pass kPass, class Search>
Status launch(int ordinal, const Search& search, const Selection& selection) {
  const CurrentGpu current(ordinal);
  if (selection.num_segments > 0)
    look<kPass><<<blocks_for(std::uint64_t{selection.num_segments} * kWarp), kThreads>>>(search, selection);
  if (kPass == Pass::count && selection.num_groups > 0) scan<<<selection.num_groups, kScanThreads>>>(selection);
  return launched("search particles", ordinal, cudaGetLastError());
}

}  // namespace

Status count(int ordinal, const Outside& search, const Selection& selection) {
  return launch<Pass::count>(ordinal, search, selection);
}
Status count(int ordinal, const WithinReach& search, const Selection& selection) {
  return launch<Pass::count>(ordinal, search, selection);
}
Status list(int ordinal, const Outside& search, const Selection& selection) {
  return launch<Pass::list>(ordinal, search, selection);
}
Status list(int ordinal, const WithinReach& search, const Selection& selection) {
  return launch<Pass::list>(ordinal, search, selection);
}

Status chain(int ordinal, Stream stream, const Selection& selection, std::uint32_t count, std::uint32_t* chain) {
  const CurrentGpu current(ordinal);
  link_chain<<<blocks_for(count), kThreads, 0, static_cast<cudaStream_t>(stream.native)>>>(selection, count, chain);
  return launched("link what borders share", ordinal, cudaGetLastError());
}

Status place_landed(int ordinal, Stream stream, const Landed& landed, std::uint32_t count) {
  const CurrentGpu current(ordinal);
  place<<<blocks_for(count), kThreads, 0, static_cast<cudaStream_t>(stream.native)>>>(landed, count);
  return launched("place what lands", ordinal, cudaGetLastError());
}

Status load(int ordinal) {
  const CurrentGpu current(ordinal);
  cudaFuncAttributes attributes;
  cudaError_t error = cudaFuncGetAttributes(&attributes, link_chain);
  if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, place);
  return launched("load the kernels of reverse exchanges (built for compute capability 9.0 and newer)", ordinal, error);
}

}  // namespace halyard::particles::device::cuda
