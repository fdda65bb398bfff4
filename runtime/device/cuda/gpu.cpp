// See gpu.hpp.
#include "device/cuda/gpu.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "device/uuid.hpp"
#include "halyard/status.hpp"

namespace halyard::device::cuda {

Gpu::Gpu(const Driver& driver, int ordinal) : driver_(driver), ordinal_(ordinal) {
  cudaDeviceProp properties{};
  cuda::demand(cudaGetDeviceProperties(&properties, ordinal), fmt::format("ask for the properties of GPU {}", ordinal),
               "see nvidia-smi");
  static_assert(sizeof(properties.uuid) == sizeof(Uuid));
  std::memcpy(uuid_.data(), &properties.uuid, sizeof(uuid_));
  description_ = fmt::format("{} ({})", properties.name, text_of(uuid_));
  num_multiprocessors_ = properties.multiProcessorCount;
  int ordering = cudaGPUDirectRDMAWritesOrderingNone;
  cuda::demand(cudaDeviceGetAttribute(&ordering, cudaDevAttrGPUDirectRDMAWritesOrdering, ordinal),
               fmt::format("ask how GPU {} orders a NIC's writes", ordinal), "see nvidia-smi");
  int mps = 0;                                                    // older drivers do not know the question
  constexpr auto kMpsEnabled = static_cast<cudaDeviceAttr>(133);  // cudaDevAttrMpsEnabled, which older headers lack
  if (cudaDeviceGetAttribute(&mps, kMpsEnabled, ordinal) != cudaSuccess) (void)cudaGetLastError();
  has_mps_ = mps != 0;
  needs_flush_ = ordering < cudaGPUDirectRDMAWritesOrderingOwner;
}

CUresult Gpu::make_context(CUcontext& context) {
  const std::lock_guard lock(mutex_);
  context = context_.load(std::memory_order_relaxed);
  if (life() != 0) return CUDA_SUCCESS;
  const CUresult result = driver_.retain_primary(&context, ordinal_);  // the driver's numbers are the runtime's
  if (result == CUDA_SUCCESS) context_.store(context, std::memory_order_release);
  return result;
}

/// The driver keeps the primary context's handle over a reset, and numbers its lives from 1.
std::uint64_t Gpu::life() const {
  const CUcontext context = context_.load(std::memory_order_acquire);
  unsigned long long number = 0;
  if (context == nullptr || driver_.context_id(context, &number) != CUDA_SUCCESS) return 0;
  return number;
}

cudaStream_t Gpu::service_stream() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t now = life();
  if (now != std::exchange(life_of_service_, now)) service_stream_ = nullptr;
  if (service_stream_ == nullptr)
    cuda::demand(cudaStreamCreateWithFlags(&service_stream_, cudaStreamNonBlocking),
                 fmt::format("make a stream on {}", description_), "see nvidia-smi for what else uses this GPU");
  return service_stream_;
}

UseGpu::UseGpu(Gpu& gpu) : gpu_(gpu) {
  CUcontext context = nullptr;
  result_ = gpu.context(context);
  if (result_ == CUDA_SUCCESS) result_ = gpu.driver().push_context(context);
}

UseGpu::~UseGpu() {
  CUcontext ignored = nullptr;
  if (ok()) (void)gpu_.driver().pop_context(&ignored);
}

void UseGpu::demand(const std::string& tried) const {
  if (ok()) return;
  throw Error(StatusCode::transport_failed, fmt::format("{}: use {}: {}; see nvidia-smi and the kernel log", tried,
                                                        gpu_.description(), error_text(gpu_.driver(), result_)));
}

}  // namespace halyard::device::cuda
