// Making of what handles.hpp owns.
#include "halo/cuda/handles.hpp"

#include <fmt/format.h>

#include "halyard/status.hpp"

namespace halyard::bench {

void check_cuda(cudaError_t code, const char* tried) {
  if (code == cudaSuccess) return;
  throw Error(StatusCode::transport_failed, fmt::format("{}: {}", tried, cudaGetErrorString(code)));
}

void* allocate_device_bytes(std::size_t bytes) {
  void* memory = nullptr;
  check_cuda(cudaMalloc(&memory, bytes), "cudaMalloc");
  check_cuda(cudaMemset(memory, 0, bytes), "cudaMemset");
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
