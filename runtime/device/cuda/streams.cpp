// The streams of a CudaDevice, see device.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "device/cuda/device.hpp"
#include "halyard/status.hpp"

namespace halyard::device::cuda {
namespace {

cudaStream_t native(Stream stream) { return static_cast<cudaStream_t>(stream.native); }

/// nullptr, cudaStreamLegacy and cudaStreamPerThread.
bool is_default(Stream stream) { return reinterpret_cast<std::uintptr_t>(stream.native) <= 2; }

}  // namespace

Stream CudaDevice::create_stream(int ordinal) {
  Gpu& there = gpu(ordinal);
  const std::string tried = fmt::format("make a stream on {}", there.description());
  const UseGpu use(there);
  use.demand(tried);
  const AllowDuringCapture allow;
  cudaStream_t stream = nullptr;
  demand(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), tried, "see nvidia-smi",
         StatusCode::out_of_resources);
  return stream;
}

void CudaDevice::destroy_stream(Stream stream) noexcept {
  const bool is_gone = std::any_of(gpus_.begin(), gpus_.end(), [](const auto& gpu) { return !gpu->is_alive(); });
  if (is_default(stream) || is_gone) return;  // with its context
  if (cudaStreamDestroy(native(stream)) != cudaSuccess) (void)cudaGetLastError();
}

/// A capturing stream is taken as it is: to ask for its GPU would end its capture (seen with driver 580). A launch on
/// another GPU's stream fails by itself.
Status CudaDevice::check_stream(Stream stream, int ordinal) const {
  if (is_default(stream) || is_capturing(stream)) return {};
  int owner = -1;
  if (const cudaError_t error = cudaStreamGetDevice(native(stream), &owner); error != cudaSuccess)
    return {StatusCode::invalid_argument,
            fmt::format("use stream {} on GPU {}: cudaStreamGetDevice: {}; pass a live cudaStream_t", stream.native,
                        ordinal, error_text(error))};
  if (owner == ordinal) return {};
  return {StatusCode::invalid_argument,
          fmt::format("use stream {} on GPU {}: it belongs to GPU {}; pass a stream of the GPU on which the fields lie",
                      stream.native, ordinal, owner)};
}

/// The event may go at once: the driver keeps it until it is no longer needed.
Status CudaDevice::order(Stream before, Stream after, int ordinal) {
  if (is_capturing(before) != is_capturing(after)) return {};
  const UseGpu use(gpu(ordinal));
  cudaEvent_t event = nullptr;
  cudaError_t error =
      use.ok() ? cudaEventCreateWithFlags(&event, cudaEventDisableTiming) : cudaErrorDeviceUninitialized;
  if (error == cudaSuccess) error = cudaEventRecord(event, native(before));
  if (error == cudaSuccess) error = cudaStreamWaitEvent(native(after), event, 0);
  if (event != nullptr) (void)cudaEventDestroy(event);
  if (error == cudaSuccess) return {};
  return {StatusCode::transport_failed,
          fmt::format("let stream {} on GPU {} wait for stream {}: {}; keep streams until the exchanges given to them "
                      "have finished",
                      after.native, ordinal, before.native, error_text(error))};
}

Status CudaDevice::wait_for_words(Stream stream, std::span<std::uint64_t* const> words, std::uint64_t least,
                                  int ordinal) {
  const UseGpu use(gpu(ordinal));
  CUresult result = use.ok() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
  for (std::size_t i = 0; i < words.size() && result == CUDA_SUCCESS; ++i)
    result =
        driver_.wait_value(native(stream), reinterpret_cast<CUdeviceptr>(words[i]), least, CU_STREAM_WAIT_VALUE_GEQ);
  return in_stream("wait for a neighbor", stream, ordinal, result);
}

Status CudaDevice::copy_in(Stream stream, void* target, const void* source, std::size_t bytes, int ordinal) {
  const UseGpu use(gpu(ordinal));
  const AllowDuringCapture allow;
  const cudaError_t error = use.ok() ? cudaMemcpyAsync(target, source, bytes, cudaMemcpyDefault, native(stream))
                                     : cudaErrorDeviceUninitialized;
  if (error == cudaSuccess) return {};
  return {StatusCode::transport_failed,
          fmt::format("copy {} bytes from {} to {} in stream {} on GPU {}: {}; see the kernel log", bytes, source,
                      target, stream.native, ordinal, error_text(error))};
}

Status CudaDevice::store_word(Stream stream, std::uint64_t* word, std::uint64_t value, int ordinal) {
  const UseGpu use(gpu(ordinal));
  const CUresult result = use.ok() ? driver_.write_value(native(stream), reinterpret_cast<CUdeviceptr>(word), value,
                                                         CU_STREAM_WRITE_VALUE_DEFAULT)
                                   : CUDA_ERROR_NOT_INITIALIZED;
  return in_stream("store a word", stream, ordinal, result);
}

Status CudaDevice::in_stream(const char* what, Stream stream, int ordinal, CUresult result) const {
  if (result == CUDA_SUCCESS) return {};
  return {StatusCode::transport_failed, fmt::format("{} in stream {} on GPU {}: {}; use another path (HALYARD_PATH)",
                                                    what, stream.native, ordinal, error_text(driver_, result))};
}

bool CudaDevice::is_capturing(Stream stream) const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(native(stream), &status) != cudaSuccess) {
    (void)cudaGetLastError();  // the legacy stream while another captures: nothing is recorded from it
    return false;
  }
  return status != cudaStreamCaptureStatusNone;
}

/// A capturing stream is asked about first: to wait for it, or to query it, would end its capture.
Status CudaDevice::synchronize(Stream stream, int ordinal) {
  const UseGpu use(gpu(ordinal));
  if (use.ok() && is_capturing(stream))
    return {StatusCode::invalid_argument, "synchronize a stream: it is being captured; end the capture first"};
  const cudaError_t error = use.ok() ? cudaStreamSynchronize(native(stream)) : cudaErrorDeviceUninitialized;
  if (error == cudaSuccess) return {};
  return {StatusCode::transport_failed, fmt::format("synchronize stream {} on GPU {}: {}; see the kernel log",
                                                    stream.native, ordinal, error_text(error))};
}

/// True also when the stream is in error: there is nothing to wait for, and synchronize() says what is wrong.
bool CudaDevice::is_idle(Stream stream, int ordinal) {
  if (is_capturing(stream)) return true;
  const UseGpu use(gpu(ordinal));
  if (!use.ok()) return true;
  const cudaError_t error = cudaStreamQuery(native(stream));
  if (error != cudaSuccess) (void)cudaGetLastError();
  return error != cudaErrorNotReady;
}

Status CudaDevice::flush_remote_writes(int ordinal) {
  Gpu& owner = gpu(ordinal);
  if (!owner.needs_flush()) return {};
  const UseGpu use(owner);
  const cudaError_t error = use.ok()
                                ? cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                                                     cudaFlushGPUDirectRDMAWritesToOwner)
                                : cudaErrorInitializationError;
  if (error == cudaSuccess) return {};
  return {StatusCode::transport_failed, fmt::format("flush a NIC's writes to {}: {}; use another path (HALYARD_PATH)",
                                                    owner.description(), error_text(error))};
}

}  // namespace halyard::device::cuda
