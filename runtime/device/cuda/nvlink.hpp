// is_nvlink: whether two GPUs of this machine store into each other's memory over NVLink. Set-up; any thread.
#pragma once

#include "device/device.hpp"

namespace halyard::device::cuda {

/// Asks NVML, which knows also GPUs that this process does not see. False where NVML does not say so.
bool is_nvlink(const Uuid& user, const Uuid& owner);

}  // namespace halyard::device::cuda
