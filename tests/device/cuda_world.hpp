// What the tests of the CUDA twin share: the device, checked CUDA calls, memory of every kind.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "device/factory.hpp"

namespace halyard::device::test {

/// There is one: cuda_main.cpp has looked.
inline Device& cuda() { return *open_cuda().device; }

inline void must(cudaError_t error) { ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error); }
inline void must(CUresult result) { ASSERT_EQ(result, CUDA_SUCCESS); }

/// A function of the driver that only tests call.
template <class Function>
Function driver_function(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  EXPECT_EQ(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result), cudaSuccess) << name;
  return reinterpret_cast<Function>(found);
}

inline std::byte* bytes_at(void* memory) { return static_cast<std::byte*>(memory); }

/// Memory of `device` that is freed with the result.
inline std::shared_ptr<std::byte> allocated(int ordinal, std::size_t bytes) {
  return {bytes_at(cuda().allocate(ordinal, bytes)), [](std::byte* memory) { cuda().deallocate(memory); }};
}

inline int read_int(const void* gpu_memory) {
  int value = 0;
  cuda().copy(&value, gpu_memory, sizeof(value));
  return value;
}

inline void write_int(void* gpu_memory, int value) { cuda().copy(gpu_memory, &value, sizeof(value)); }

}  // namespace halyard::device::test
