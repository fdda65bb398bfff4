// CurrentGpu: makes a GPU the thread's current one for as long as it lives. For launches.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "halyard/status.hpp"

namespace halyard::pack::device {

class CurrentGpu {
 public:
  explicit CurrentGpu(int ordinal) {
    if (cudaGetDevice(&before_) != cudaSuccess) before_ = -1;
    if (before_ != ordinal) cudaSetDevice(ordinal);
    changed_ = before_ != ordinal && before_ >= 0;
  }
  ~CurrentGpu() {
    if (changed_) cudaSetDevice(before_);
  }
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;

 private:
  int before_ = -1;
  bool changed_ = false;
};

/// What came of a launch: ok, or what was tried and what the driver said.
inline Status launched(const char* what, int ordinal, cudaError_t error) {
  if (error == cudaSuccess) return {};
  return {StatusCode::transport_failed,
          std::string(what) + " on GPU " + std::to_string(ordinal) + ": " + cudaGetErrorString(error)};
}

}  // namespace halyard::pack::device
