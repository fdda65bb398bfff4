// Which GPU a rank takes, and Kokkos where there is none.
#include <cuda_runtime_api.h>

#include <Kokkos_Core.hpp>
#include <stdexcept>

#include "common/agree.hpp"
#include "common/gpu/gpu.hpp"

namespace halyard::app::gpu {
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

bool is_built() { return true; }
void require_built() {}

int choose(MPI_Comm comm) {
  const int rank = rank_on_node(comm);
  int gpu = 0;
  agreed(comm, [&] { gpu = rank % num_gpus(); });
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
  cudaDeviceProp properties{};
  const bool is_known = cudaGetDevice(&gpu) == cudaSuccess && cudaGetDeviceProperties(&properties, gpu) == cudaSuccess;
  return is_known ? properties.name : "a GPU that does not tell its name";
}

}  // namespace halyard::app::gpu
