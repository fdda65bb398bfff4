// Of the CUDA twin, see gpu_tools.hpp.
#include <cuda_runtime_api.h>

#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/gpu/tools.hpp"

namespace halyard::test {
namespace {

void must(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

cudaStream_t native(Stream stream) { return static_cast<cudaStream_t>(stream.native); }

// The thread's GPU is what it was before once this is gone.
class OnGpu {
 public:
  explicit OnGpu(int ordinal) {
    must(cudaGetDevice(&before_));
    must(cudaSetDevice(ordinal));
  }
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;
  ~OnGpu() { (void)cudaSetDevice(before_); }

 private:
  int before_ = 0;
};

void sleep_in_stream(void* milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(reinterpret_cast<std::intptr_t>(milliseconds)));
}

class CudaTools final : public GpuTools {
 public:
  explicit CudaTools(device::Device& device) : device_(device) {}

  std::shared_ptr<void> allocate(Unusual kind, int ordinal, std::size_t bytes) override {
    const OnGpu on(ordinal);
    void* memory = nullptr;
    if (kind == Unusual::managed) {
      must(cudaMallocManaged(&memory, bytes));
    } else {
      must(cudaMallocAsync(&memory, bytes, nullptr));
      must(cudaStreamSynchronize(nullptr));
    }
    return {memory, [ordinal](void* m) {
              const OnGpu there(ordinal);
              (void)cudaFree(m);
            }};
  }
  // The driver gives the address that was freed last of its own accord.
  std::shared_ptr<void> allocate_again(int ordinal, std::size_t bytes) override {
    return {device_.allocate(ordinal, bytes), [this](void* memory) { device_.deallocate(memory); }};
  }
  std::uint64_t in_use(int ordinal) override {
    const OnGpu on(ordinal);
    std::size_t free = 0;
    std::size_t total = 0;
    must(cudaMemGetInfo(&free, &total));
    return total - free;
  }
  std::uint64_t tolerance() const override { return 2 << 20; }

  void enqueue_slow_copy(Stream stream, void* target, std::span<const std::byte> bytes,
                         std::chrono::milliseconds time) override {
    const std::shared_ptr<void> copy(device_.allocate_mapped(bytes.size()),
                                     [this](void* memory) { device_.deallocate_mapped(memory); });
    std::memcpy(copy.get(), bytes.data(), bytes.size());
    must(cudaLaunchHostFunc(native(stream), sleep_in_stream, reinterpret_cast<void*>(std::intptr_t{time.count()})));
    must(cudaMemcpyAsync(target, copy.get(), bytes.size(), cudaMemcpyDefault, native(stream)));
    copies_.push_back(copy);
  }

  void begin_capture(Stream stream) override {
    must(cudaStreamBeginCapture(native(stream), cudaStreamCaptureModeGlobal));
  }
  std::shared_ptr<void> end_capture(Stream stream) override {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t ready = nullptr;
    must(cudaStreamEndCapture(native(stream), &graph));
    must(cudaGraphInstantiate(&ready, graph, 0));
    must(cudaGraphDestroy(graph));
    return {ready, [](void* exec) { (void)cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(exec)); }};
  }
  void replay(const std::shared_ptr<void>& graph, Stream stream) override {
    must(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph.get()), native(stream)));
  }

 private:
  device::Device& device_;
  std::vector<std::shared_ptr<void>> copies_;  // live until the streams have read them
};

}  // namespace

std::unique_ptr<GpuTools> gpu_tools(device::Device& device) { return std::make_unique<CudaTools>(device); }

}  // namespace halyard::test
