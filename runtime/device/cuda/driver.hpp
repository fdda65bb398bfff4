// Driver: the functions of libcuda that the CUDA runtime has no words for, looked up when the program runs.
//
// Nothing here links libcuda: a build with CUDA starts on machines without a driver, and the static runtime tells us
// so. Made once by open_cuda(); immutable after that, any thread.
#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <string>

#include "halyard/status.hpp"

namespace halyard::device::cuda {

struct Driver {
  PFN_cuPointerGetAttributes_v7000 pointer_attributes = nullptr;
  PFN_cuMemGetAddressRange_v3020 address_range = nullptr;
  PFN_cuMemGetHandleForAddressRange_v11070 handle_for_range = nullptr;
  PFN_cuDevicePrimaryCtxRetain_v7000 retain_primary = nullptr;
  PFN_cuCtxGetId_v12000 context_id = nullptr;
  PFN_cuCtxGetCurrent_v4000 current_context = nullptr;
  PFN_cuCtxPushCurrent_v4000 push_context = nullptr;
  PFN_cuCtxPopCurrent_v4000 pop_context = nullptr;
  PFN_cuStreamWaitValue64_v11070 wait_value = nullptr;
  PFN_cuStreamWriteValue64_v11070 write_value = nullptr;
  PFN_cuGetErrorString_v6000 error_string = nullptr;

  /// Throws Error(not_supported) when the driver lacks one of them.
  static Driver load();
};

/// "out of memory (cudaErrorMemoryAllocation)". Also forgets the error, where it is not one that stays.
std::string error_text(cudaError_t error);
std::string error_text(const Driver& driver, CUresult result);

/// Throws Error(code, "<tried>: <what came back>; <remedy>") unless all is well.
void demand(cudaError_t error, const std::string& tried, const char* remedy,
            StatusCode code = StatusCode::transport_failed);

}  // namespace halyard::device::cuda
