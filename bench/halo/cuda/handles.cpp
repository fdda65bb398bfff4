// Making of what handles.hpp owns.
#include "halo/cuda/handles.hpp"

#include <fmt/format.h>

#include "halyard/status.hpp"

namespace halyard::bench {

void check_cuda(cudaError_t code, const char* tried) {
  if (code == cudaSuccess) return;
  throw Error(StatusCode::transport_failed, fmt::format("{}: {}", tried, cudaGetErrorString(code)));
}

// Whole blocks of the driver: smaller allocations share one, which a process can map only once of another, by the
// handle of one of them; UCX 1.20 maps each by its own (docs/gotchas.md).
void* allocate_device_bytes(std::size_t bytes) {
  constexpr std::size_t kBlock = std::size_t{2} << 20;
  const std::size_t whole = (bytes + kBlock - 1) / kBlock * kBlock;
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, whole), "cudaMalloc");
  check_cuda(cudaMemset(memory, 0, whole), "cudaMemset");
  check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return memory;
}

void* allocate_pinned_bytes(std::size_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault), "cudaHostAlloc");
  return memory;
}

OwnedStream make_stream() {
  cudaStream_t stream = nullptr;
  check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  return OwnedStream(stream);
}

OwnedEvent make_event() {
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreate(&event), "cudaEventCreate");
  return OwnedEvent(event);
}

}  // namespace halyard::bench
