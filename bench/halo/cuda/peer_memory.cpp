// cudaIpc handles exchanged over MPI; see peer_memory.hpp.
#include "halo/cuda/peer_memory.hpp"

#include "halo/cuda/handles.hpp"

namespace halyard::bench {

PeerMemory::PeerMemory(MPI_Comm comm, void* mine, const std::vector<int>& ranks) {
  int num_ranks = 0;
  MPI_Comm_size(comm, &num_ranks);
  cudaIpcMemHandle_t handle{};
  const cudaError_t code = cudaIpcGetMemHandle(&handle, mine);
  std::vector<cudaIpcMemHandle_t> all(static_cast<std::size_t>(num_ranks));
  MPI_Allgather(&handle, sizeof handle, MPI_BYTE, all.data(), sizeof handle, MPI_BYTE, comm);
  check_cuda(code, "cudaIpcGetMemHandle");
  for (const int rank : ranks) {
    void* there = nullptr;
    check_cuda(cudaIpcOpenMemHandle(&there, all[static_cast<std::size_t>(rank)], cudaIpcMemLazyEnablePeerAccess),
               "cudaIpcOpenMemHandle");
    mapped_[rank] = there;
  }
}

PeerMemory::~PeerMemory() {
  for (const auto& [rank, there] : mapped_) cudaIpcCloseMemHandle(there);
}

}  // namespace halyard::bench
