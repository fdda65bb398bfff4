// check: a call of the CUDA runtime that must succeed. Its text is what was tried and what came back.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "simulation.hpp"

namespace halyard::stencil::gpu {

/// Throws TransferFailed; inside agreed() that becomes a SetupError of every rank.
inline void check(const char* tried, cudaError_t result) {
  if (result == cudaSuccess) return;
  throw TransferFailed(std::string(tried) + ": " + cudaGetErrorString(result) +
                       "; look at nvidia-smi, or use --device host");
}

}  // namespace halyard::stencil::gpu
