// Gpu: one GPU of this process; UseGpu: makes it the calling thread's for the length of a scope.
//
// cudaSetDevice would leave a context on whatever GPU it restores, which costs hundreds of megabytes on the one named 0
// in every process of the node. Pushing the GPU's primary context on the thread's stack of contexts does not, and gives
// back exactly what was there before, nothing included.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <mutex>
#include <string>

#include "device/cuda/driver.hpp"
#include "device/device.hpp"

namespace halyard::device::cuda {

class Gpu {
 public:
  /// Asks for name and UUID; makes no context. Throws Error.
  Gpu(const Driver& driver, int ordinal);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  const Driver& driver() const { return driver_; }
  int ordinal() const { return ordinal_; }
  const std::string& description() const { return description_; }
  const Uuid& uuid() const { return uuid_; }
  int num_multiprocessors() const { return num_multiprocessors_; }
  /// The driver shares contexts of several processes through MPS.
  bool has_mps() const { return has_mps_; }
  /// Kernels see what a NIC has written only after a flush.
  bool needs_flush() const { return needs_flush_; }

  /// Data path. The primary context, which the CUDA runtime uses too. Made by the first caller and kept: made anew
  /// when the program has reset the GPU.
  CUresult context(CUcontext& context) {
    context = context_.load(std::memory_order_acquire);
    return life() != 0 ? CUDA_SUCCESS : make_context(context);
  }
  /// Data path (some 10 ns). See Device::life().
  std::uint64_t life() const;
  /// A stream for set-up work, which neither waits for the default streams nor holds them up. Made by the first caller
  /// of a life, with the GPU in use. Throws Error.
  cudaStream_t service_stream();

 private:
  CUresult make_context(CUcontext& context);

  const Driver& driver_;
  const int ordinal_;
  std::string description_;
  Uuid uuid_{};
  int num_multiprocessors_ = 0;
  bool has_mps_ = false;
  bool needs_flush_ = true;
  std::mutex mutex_;
  std::atomic<CUcontext> context_ = nullptr;
  cudaStream_t service_stream_ = nullptr;
  std::uint64_t life_of_service_ = 0;
};

/// Data path: neither throws nor allocates (but for the first use of a GPU, which makes its context).
class UseGpu {
 public:
  explicit UseGpu(Gpu& gpu);
  UseGpu(const UseGpu&) = delete;
  UseGpu& operator=(const UseGpu&) = delete;
  ~UseGpu();

  /// False after the driver has shut down, or when the GPU is lost.
  bool ok() const { return result_ == CUDA_SUCCESS; }
  /// Throws Error(transport_failed) unless ok().
  void demand(const std::string& tried) const;

 private:
  const Gpu& gpu_;
  CUresult result_;
};

/// Lets set-up calls through while some thread captures a stream in global mode, which would otherwise refuse them and
/// lose its capture.
class AllowDuringCapture {
 public:
  AllowDuringCapture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  AllowDuringCapture(const AllowDuringCapture&) = delete;
  AllowDuringCapture& operator=(const AllowDuringCapture&) = delete;
  ~AllowDuringCapture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace halyard::device::cuda
