// gather: the kernels of the hand-written way: positions by number, shifted; and a plain copy.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace halyard::bench {

/// out[i] = x[numbers[i]] + shifts[codes[i]], three doubles each. All but `shifts` in GPU memory.
struct GatherList {
  const double* x = nullptr;
  const int* numbers = nullptr;
  const unsigned char* codes = nullptr;
  double* out = nullptr;
  int count = 0;
  double shifts[27][3] = {};
};

void launch_gather(const GatherList& list, cudaStream_t stream);
void launch_copy(double* to, const double* from, std::int64_t count, cudaStream_t stream);

}  // namespace halyard::bench
