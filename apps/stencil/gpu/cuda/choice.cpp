// Which GPU a rank takes, and Kokkos where there is none.
#include <cuda_runtime_api.h>

#include <Kokkos_Core.hpp>
#include <stdexcept>

#include "common/agree.hpp"
#include "gpu/cuda/check.hpp"
#include "gpu/gpu.hpp"

namespace halyard::stencil::gpu {
namespace {

int rank_on_node(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank = 0;
  MPI_Comm_rank(node, &rank);
  MPI_Comm_free(&node);
  return rank;
}

int num_gpus() {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result == cudaSuccess && count > 0) return count;
  throw std::runtime_error(std::string("--device cuda: look for a GPU: ") + cudaGetErrorString(result) +
                           "; run where nvidia-smi lists one, or use --device host");
}

}  // namespace

int choose(MPI_Comm comm) {
  const int rank = rank_on_node(comm);
  int gpu = 0;
  app::agreed(comm, [&] { gpu = rank % num_gpus(); });
  return gpu;
}

bool is_missing() {
  int count = 0;
  return cudaGetDeviceCount(&count) != cudaSuccess || count == 0;
}

void open_host_spaces() { Kokkos::DefaultHostExecutionSpace::impl_initialize(Kokkos::InitializationSettings()); }
void close_host_spaces() { Kokkos::DefaultHostExecutionSpace::impl_finalize(); }

std::string name_of_current() {
  int gpu = 0;
  check("ask for the current GPU", cudaGetDevice(&gpu));
  cudaDeviceProp properties{};
  check("ask for the properties of a GPU", cudaGetDeviceProperties(&properties, gpu));
  return properties.name;
}

}  // namespace halyard::stencil::gpu
