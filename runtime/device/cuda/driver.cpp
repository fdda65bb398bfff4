// See driver.hpp.
#include "device/cuda/driver.hpp"

#include <fmt/format.h>

namespace halyard::device::cuda {
namespace {

/// The version whose form of the function the typedefs in Driver describe, or any later one that kept it.
constexpr unsigned kVersion = 12000;

template <class Function>
void look_up(Function& function, const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &found, kVersion, cudaEnableDefault, &result);
  if (error != cudaSuccess || found == nullptr)
    throw Error(StatusCode::not_supported,
                fmt::format("find {} in the CUDA driver: {}; install a driver for CUDA 12 or newer", name,
                            error != cudaSuccess ? error_text(error) : "it is not there"));
  function = reinterpret_cast<Function>(found);
}

}  // namespace

Driver Driver::load() {
  Driver driver;
  look_up(driver.pointer_attributes, "cuPointerGetAttributes");
  look_up(driver.address_range, "cuMemGetAddressRange");
  look_up(driver.handle_for_range, "cuMemGetHandleForAddressRange");
  look_up(driver.retain_primary, "cuDevicePrimaryCtxRetain");
  look_up(driver.context_id, "cuCtxGetId");
  look_up(driver.current_context, "cuCtxGetCurrent");
  look_up(driver.push_context, "cuCtxPushCurrent");
  look_up(driver.pop_context, "cuCtxPopCurrent");
  look_up(driver.wait_value, "cuStreamWaitValue64");
  look_up(driver.write_value, "cuStreamWriteValue64");
  look_up(driver.error_string, "cuGetErrorString");
  return driver;
}

std::string error_text(cudaError_t error) {
  (void)cudaGetLastError();  // else a later launch check would find it and take it for its own
  return fmt::format("{} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
}

std::string error_text(const Driver& driver, CUresult result) {
  const char* text = nullptr;
  if (driver.error_string(result, &text) != CUDA_SUCCESS || text == nullptr) text = "unknown error";
  return fmt::format("{} (CUresult {})", text, static_cast<int>(result));
}

void demand(cudaError_t error, const std::string& tried, const char* remedy, StatusCode code) {
  if (error != cudaSuccess) throw Error(code, fmt::format("{}: {}; {}", tried, error_text(error), remedy));
}

}  // namespace halyard::device::cuda
