// Kernels that measure limits: a flag between two GPUs, and nothing at all.
#include "halo/cuda/handles.hpp"
#include "halo/cuda/kernels/limits.hpp"

namespace halyard::bench {
namespace {

__device__ std::uint64_t load_acquire(const std::uint64_t* word) {
  std::uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

__device__ void store_release(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.release.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}

__device__ void await(const std::uint64_t* word, std::uint64_t value) {
  while (load_acquire(word) < value) {
  }
}

__global__ void ping_pong_kernel(PingPong p) {
  const std::uint64_t begin = *p.count;
  for (std::uint64_t trip = begin + 1; trip <= begin + static_cast<std::uint64_t>(p.num_trips); ++trip) {
    if (!p.is_first) await(p.mine, trip);
    store_release(p.theirs, trip);
    if (p.is_first) await(p.mine, trip);
  }
  *p.count = begin + static_cast<std::uint64_t>(p.num_trips);
}

__global__ void empty_kernel() {}

}  // namespace

void launch_ping_pong(const PingPong& ping_pong, cudaStream_t stream) {
  ping_pong_kernel<<<1, 1, 0, stream>>>(ping_pong);
  check_cuda(cudaGetLastError(), "launch of the flag kernel");
}

void launch_empty(cudaStream_t stream) {
  empty_kernel<<<1, 32, 0, stream>>>();
  check_cuda(cudaGetLastError(), "launch of the empty kernel");
}

}  // namespace halyard::bench
