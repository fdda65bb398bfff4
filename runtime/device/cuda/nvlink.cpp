// See nvlink.hpp. NVML comes with the driver and is looked up when it is needed; its header is not part of every
// toolkit.
#include "device/cuda/nvlink.hpp"

#include <dlfcn.h>

#include "base/log.hpp"
#include "device/uuid.hpp"

namespace halyard::device::cuda {
namespace {

// As in nvml.h: nvmlReturn_t, nvmlDevice_t, nvmlGpuP2PCapsIndex_t and nvmlGpuP2PStatus_t.
using Handle = void*;
constexpr int kSuccess = 0;
constexpr int kCapsNvlink = 2;
constexpr int kStatusOk = 0;

struct Nvml {
  int (*init)() = nullptr;
  int (*handle_by_uuid)(const char*, Handle*) = nullptr;
  int (*p2p_status)(Handle, Handle, int, int*) = nullptr;
  bool is_open = false;

  Nvml() {
    void* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);  // for the life of the process
    if (library == nullptr) return;
    init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    handle_by_uuid = reinterpret_cast<int (*)(const char*, Handle*)>(dlsym(library, "nvmlDeviceGetHandleByUUID"));
    p2p_status = reinterpret_cast<int (*)(Handle, Handle, int, int*)>(dlsym(library, "nvmlDeviceGetP2PStatus"));
    is_open = init != nullptr && handle_by_uuid != nullptr && p2p_status != nullptr && init() == kSuccess;
  }

  Handle handle_of(const Uuid& uuid) const {
    Handle handle = nullptr;
    return handle_by_uuid(text_of(uuid).c_str(), &handle) == kSuccess ? handle : nullptr;
  }
};

}  // namespace

bool is_nvlink(const Uuid& user, const Uuid& owner) {
  static const Nvml nvml;
  if (!nvml.is_open) {
    base::log_info("NVML cannot be asked which GPUs NVLink joins: small messages between GPUs go without packets");
    return false;
  }
  const Handle from = nvml.handle_of(user);
  const Handle to = nvml.handle_of(owner);
  int status = -1;
  return from != nullptr && to != nullptr && nvml.p2p_status(from, to, kCapsNvlink, &status) == kSuccess &&
         status == kStatusOk;
}

}  // namespace halyard::device::cuda
