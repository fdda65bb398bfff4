// Choice of the GPU; see gpu.hpp.
#include "halo/cuda/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "halo/cuda/handles.hpp"

namespace halyard::bench {
namespace {

struct LocalRank {
  int rank = 0;
  int size = 1;
};

LocalRank local_rank(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  LocalRank local;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_rank(node, &local.rank);
  MPI_Comm_size(node, &local.size);
  MPI_Comm_free(&node);
  return local;
}

int num_gpus_everywhere(MPI_Comm comm) {
  int found = 0;
  const cudaError_t code = cudaGetDeviceCount(&found);
  int worst = code == cudaSuccess ? 0 : static_cast<int>(code);
  int fewest = code == cudaSuccess ? found : 0;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, &fewest, 1, MPI_INT, MPI_MIN, comm);
  if (fewest > 0) return found;
  throw UsageError(fmt::format("--device cuda: no GPU here: {}; run on a machine with a GPU and its driver",
                               cudaGetErrorString(static_cast<cudaError_t>(worst))));
}

/// "580.159.04", as the kernel module says it; otherwise the CUDA version that the driver knows.
std::string driver_version() {
  std::ifstream module("/proc/driver/nvidia/version");
  for (std::string word; module >> word;)
    if (word.size() >= 6 && std::isdigit(static_cast<unsigned char>(word.front())) && word.find('.') < 4) return word;
  int version = 0;
  cudaDriverGetVersion(&version);
  return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

Gpu choose_gpu(MPI_Comm comm) {
  const int num_gpus = num_gpus_everywhere(comm);
  const LocalRank local = local_rank(comm);
  int num_ranks = 1;
  MPI_Comm_size(comm, &num_ranks);
  Gpu gpu{local.rank % num_gpus, local.size, local.size > num_gpus, local.size == num_ranks, {}};
  check_cuda(cudaSetDevice(gpu.device), "cudaSetDevice");
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, gpu.device), "cudaGetDeviceProperties");
  gpu.facts = {properties.name, driver_version(), std::min(num_gpus, local.size)};
  return gpu;
}

}  // namespace halyard::bench
