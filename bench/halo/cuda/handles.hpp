// What the GPU bench opens, owned: device and pinned memory, streams, events, graphs; and the check of every call.
//
// One GPU per process, chosen before the first of these is made (gpu.hpp). One thread.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

namespace halyard::bench {

/// Throws Error that says what was tried and what came back.
void check_cuda(cudaError_t code, const char* tried);

struct FreeDevice {
  void operator()(void* memory) const { cudaFree(memory); }
};
struct FreePinned {
  void operator()(void* memory) const { cudaFreeHost(memory); }
};
struct DestroyStream {
  void operator()(cudaStream_t stream) const { cudaStreamDestroy(stream); }
};
struct DestroyEvent {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
struct DestroyGraphExec {
  void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
};

template <class T>
using DeviceArray = std::unique_ptr<T[], FreeDevice>;
template <class T>
using PinnedArray = std::unique_ptr<T[], FreePinned>;
using OwnedStream = std::unique_ptr<CUstream_st, DestroyStream>;
using OwnedEvent = std::unique_ptr<CUevent_st, DestroyEvent>;
using OwnedGraph = std::unique_ptr<CUgraph_st, DestroyGraph>;
using OwnedGraphExec = std::unique_ptr<CUgraphExec_st, DestroyGraphExec>;

/// Zeroed memory of the current GPU.
void* allocate_device_bytes(std::size_t bytes);
void* allocate_pinned_bytes(std::size_t bytes);

template <class T>
DeviceArray<T> allocate_device(std::size_t count) {
  return DeviceArray<T>(static_cast<T*>(allocate_device_bytes(count * sizeof(T))));
}
template <class T>
PinnedArray<T> allocate_pinned(std::size_t count) {
  return PinnedArray<T>(static_cast<T*>(allocate_pinned_bytes(count * sizeof(T))));
}

OwnedStream make_stream();
OwnedEvent make_event();

}  // namespace halyard::bench
