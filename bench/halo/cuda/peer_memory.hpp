// PeerMemory: GPU memory of other ranks of this node, mapped with cudaIpc. For the limits that need a peer's pointer.
#pragma once

#include <mpi.h>

#include <map>
#include <vector>

namespace halyard::bench {

class PeerMemory {
 public:
  /// Shows `mine`, the start of a cudaMalloc, to all ranks and maps that of `ranks`. Collective; throws Error where
  /// the driver refuses.
  PeerMemory(MPI_Comm comm, void* mine, const std::vector<int>& ranks);
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;
  ~PeerMemory();

  template <class T>
  T* of(int rank) const {
    return static_cast<T*>(mapped_.at(rank));
  }

 private:
  std::map<int, void*> mapped_;
};

}  // namespace halyard::bench
