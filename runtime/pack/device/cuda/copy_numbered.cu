// The kernel of copy_numbered, see ../numbered.hpp; its host twin is there.
#include <cuda_runtime.h>

#include <algorithm>

#include "pack/device/cuda/current_gpu.hpp"
#include "pack/device/numbered.hpp"

namespace halyard::pack::device {
namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kMostBlocks = 132 * 8;

template <class Unit>
__device__ void copy_unit(const UnitPlaces& places) {
  *reinterpret_cast<Unit*>(places.target) = *reinterpret_cast<const Unit*>(places.source);
}

// Rows of blocks take a run each.
__global__ void __launch_bounds__(kThreads) copy(const __grid_constant__ NumberedRuns runs) {
  const Run& run = runs.runs[blockIdx.y];
  const std::uint32_t num_units = units_of(run, runs.count);
  for (std::uint32_t unit = blockIdx.x * kThreads + threadIdx.x; unit < num_units; unit += gridDim.x * kThreads) {
    const UnitPlaces places = places_of(run, unit);
    switch (run.unit_bytes) {
      case 16:
        copy_unit<uint4>(places);
        break;
      case 8:
        copy_unit<std::uint64_t>(places);
        break;
      case 4:
        copy_unit<std::uint32_t>(places);
        break;
      case 2:
        copy_unit<std::uint16_t>(places);
        break;
      default:
        copy_unit<std::uint8_t>(places);
    }
  }
}

}  // namespace

Status copy_numbered_cuda(const NumberedRuns& runs, Stream stream, int ordinal) {
  const CurrentGpu current(ordinal);
  std::uint32_t most = 0;
  for (std::uint32_t r = 0; r < runs.num_runs; ++r) most = std::max(most, runs.runs[r].num_units);
  const unsigned blocks = std::min((most + kThreads - 1) / kThreads, kMostBlocks);
  copy<<<dim3(blocks, runs.num_runs), kThreads, 0, static_cast<cudaStream_t>(stream.native)>>>(runs);
  return launched("launch a copy of particles", ordinal, cudaGetLastError());
}

}  // namespace halyard::pack::device
