// open_cuda() in a build with CUDA, see device/factory.hpp.
#include "device/factory.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "device/cuda/device.hpp"
#include "device/cuda/driver.hpp"
#include "halyard/status.hpp"

namespace halyard::device {
namespace {

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

Opened open_gpus(int num_gpus) {
  auto device = std::make_shared<cuda::CudaDevice>(cuda::Driver::load(), num_gpus);
  int version = 0;
  (void)cudaDriverGetVersion(&version);
  return {device, fmt::format("{} GPUs, driver for CUDA {}", num_gpus, version_text(version))};
}

std::string why_no_driver(cudaError_t error) {
  int version = 0;
  (void)cudaDriverGetVersion(&version);
  if (version == 0) return "no CUDA driver (libcuda.so.1) on this machine";
  return fmt::format("the CUDA driver (for CUDA {}; built with {}): {}", version_text(version),
                     version_text(CUDART_VERSION), cuda::error_text(error));
}

Opened open_anew() {
  int num_gpus = 0;
  const cudaError_t error = cudaGetDeviceCount(&num_gpus);
  if (error == cudaErrorNoDevice || (error == cudaSuccess && num_gpus == 0)) {
    (void)cudaGetLastError();
    return {nullptr, "no GPU is visible to this process (see CUDA_VISIBLE_DEVICES)"};
  }
  if (error != cudaSuccess) return {nullptr, why_no_driver(error)};
  try {
    return open_gpus(num_gpus);
  } catch (const Error& failure) {
    return {nullptr, failure.status().text()};
  }
}

}  // namespace

Opened open_cuda() {
  static const Opened& opened = *new Opened(open_anew());  // never destroyed, see cuda/device.hpp
  return opened;
}

}  // namespace halyard::device
