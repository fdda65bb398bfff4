// The memory of a CudaDevice, see device.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "device/cuda/device.hpp"
#include "halyard/status.hpp"

namespace halyard::device::cuda {
namespace {

/// Allocations below this size share a block of the driver, and an IPC handle stands for the whole block: what else
/// lies in it would be shown to peers (CUDA programming guide, "Interprocess Communication").
constexpr std::size_t kBlock = std::size_t{2} << 20;

constexpr std::size_t kPage = 4096;

std::size_t whole_blocks(std::size_t bytes) { return (bytes + kBlock - 1) / kBlock * kBlock; }

constexpr const char* kFreeSome = "free memory there (nvidia-smi shows what else uses it) or use fewer ranks per GPU";
constexpr const char* kLocked = "raise the limit on locked memory (ulimit -l) or lower HALYARD_ARENA";

void zero(Gpu& gpu, void* memory, std::size_t bytes) {
  const cudaStream_t stream = gpu.service_stream();
  demand(cudaMemsetAsync(memory, 0, bytes, stream), "zero new GPU memory", "see the kernel log");
  demand(cudaStreamSynchronize(stream), "zero new GPU memory", "see the kernel log");
}

void unpin(Gpu& gpu, std::uint64_t life, void* registered) {
  if (gpu.life() != life) return;
  const UseGpu use(gpu);
  const AllowDuringCapture allow;
  if (use.ok() && cudaHostUnregister(registered) != cudaSuccess) (void)cudaGetLastError();
}

}  // namespace

void* CudaDevice::allocate(int ordinal, std::size_t bytes) {
  Gpu& there = gpu(ordinal);
  const std::string tried = fmt::format("allocate {} bytes on {}", bytes, there.description());
  if (bytes == 0) throw Error(StatusCode::invalid_argument, tried + ": ask for at least one");
  const UseGpu use(there);
  use.demand(tried);
  const AllowDuringCapture allow;
  void* memory = nullptr;
  demand(cudaMalloc(&memory, whole_blocks(bytes)), tried, kFreeSome, StatusCode::out_of_resources);
  try {
    zero(there, memory, whole_blocks(bytes));
  } catch (...) {
    (void)cudaFree(memory);
    throw;
  }
  lives_.add(memory, ordinal, there.life());
  return memory;
}

void CudaDevice::deallocate(void* memory) noexcept {
  const Lives::Taken taken = lives_.take(memory, [this](int ordinal) { return life(ordinal); });
  if (taken.fate != Lives::Fate::live) return;  // after a reset, or the driver's end, it is gone
  const UseGpu use(gpu(taken.ordinal));
  const AllowDuringCapture allow;
  if (use.ok() && cudaFree(memory) != cudaSuccess) (void)cudaGetLastError();
}

/// The process's own pages, pinned: memory of cudaHostAlloc would be gone after a cudaDeviceReset, while threads that
/// look after exchanges still read words in it (field case T02).
void* CudaDevice::allocate_mapped(std::size_t bytes) {
  if (bytes == 0)
    throw Error(StatusCode::invalid_argument, "allocate 0 bytes of mapped host memory: ask for at least one");
  const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
  void* memory = ::operator new (whole, std::align_val_t{kPage}, std::nothrow);
  if (memory == nullptr)
    throw Error(StatusCode::out_of_resources,
                fmt::format("allocate {} bytes of mapped host memory: the system gives none; {}", bytes, kLocked));
  std::fill_n(static_cast<std::byte*>(memory), whole, std::byte{0});
  try {
    auto pinned = pin(memory, whole);
    const std::lock_guard lock(mapped_mutex_);
    mapped_.emplace(memory, std::move(pinned));
  } catch (...) {
    ::operator delete (memory, std::align_val_t{kPage});
    throw;
  }
  return memory;
}

void CudaDevice::deallocate_mapped(void* memory) noexcept {
  if (memory == nullptr) return;
  std::shared_ptr<void> pinned;
  {
    const std::lock_guard lock(mapped_mutex_);
    const auto found = mapped_.find(memory);
    if (found == mapped_.end()) return;
    pinned = std::move(found->second);
    mapped_.erase(found);
  }
  pinned.reset();
  ::operator delete (memory, std::align_val_t{kPage});
}

std::shared_ptr<void> CudaDevice::pin(void* memory, std::size_t bytes) {
  const std::string tried = fmt::format("pin {} bytes at {}", bytes, memory);
  Gpu& anywhere = any_gpu();
  const UseGpu use(anywhere);
  use.demand(tried);
  const AllowDuringCapture allow;
  const cudaError_t error = cudaHostRegister(memory, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable);
  if (error == cudaErrorHostMemoryAlreadyRegistered)
    demand(error, tried, "pin memory once, and whole", StatusCode::invalid_argument);
  demand(error, tried, kLocked, StatusCode::out_of_resources);
  std::shared_ptr<void> pinned(
      memory, [&anywhere, life = anywhere.life()](void* registered) { unpin(anywhere, life, registered); });
  void* seen_by_kernels = nullptr;
  demand(cudaHostGetDevicePointer(&seen_by_kernels, memory, 0), tried, "see nvidia-smi", StatusCode::not_supported);
  if (seen_by_kernels != memory)
    throw Error(
        StatusCode::not_supported,
        fmt::format("{}: kernels see it at {}; use memory of allocate_mapped on this machine", tried, seen_by_kernels));
  return pinned;
}

void CudaDevice::copy(void* target, const void* source, std::size_t bytes) {
  if (bytes == 0) return;
  const std::string tried = fmt::format("copy {} bytes from {} to {}", bytes, source, target);
  const MemoryFacts facts = facts_of(target);
  Gpu& worker = facts.ordinal >= 0 && facts.ordinal < num_gpus() ? gpu(facts.ordinal) : gpu_of(source);
  const UseGpu use(worker);
  use.demand(tried);
  const AllowDuringCapture allow;
  const cudaStream_t stream = worker.service_stream();
  demand(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, stream), tried, "see the kernel log");
  demand(cudaStreamSynchronize(stream), tried, "see the kernel log");
}

}  // namespace halyard::device::cuda
