// The GPUs of a CudaDevice, see device.hpp.
#include "device/cuda/device.hpp"

#include <fmt/format.h>

#include "halyard/status.hpp"

namespace halyard::device::cuda {

CudaDevice::CudaDevice(const Driver& driver, int num_gpus) : driver_(driver) {
  for (int ordinal = 0; ordinal < num_gpus; ++ordinal) gpus_.push_back(std::make_unique<Gpu>(driver_, ordinal));
}

int CudaDevice::current_gpu() const {
  int ordinal = 0;
  demand(cudaGetDevice(&ordinal), "ask for the thread's current GPU", "see nvidia-smi");
  return ordinal;
}

Gpu& CudaDevice::gpu(int ordinal) const {
  if (ordinal < 0 || ordinal >= num_gpus())
    throw Error(StatusCode::invalid_argument,
                fmt::format("use GPU {}: this process sees {} GPUs, counted from 0; see CUDA_VISIBLE_DEVICES", ordinal,
                            num_gpus()));
  return *gpus_[static_cast<std::size_t>(ordinal)];
}

Gpu* CudaDevice::gpu_with(const Uuid& uuid) const {
  for (const auto& candidate : gpus_)
    if (candidate->uuid() == uuid) return candidate.get();
  return nullptr;
}

Gpu& CudaDevice::any_gpu() const {
  int ordinal = 0;
  if (cudaGetDevice(&ordinal) != cudaSuccess || ordinal >= num_gpus()) ordinal = 0;
  return gpu(ordinal);
}

}  // namespace halyard::device::cuda
