// SharedBlock: one block of memory per rank that all ranks of a node can address, from
// MPI_Win_allocate_shared.
//
// Collective to make and to destroy. Blocks begin on a 128-byte line whatever MPI returns (its
// bases are only 8-byte aligned on some versions) and are zero at first. Owned by method f and by
// the cache-line hand-over of the bench.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace halyard::bench {

class SharedBlock {
 public:
  /// Throws std::runtime_error on every rank when the ranks are not all on one node.
  SharedBlock(MPI_Comm comm, std::size_t bytes);
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;
  ~SharedBlock();

  std::byte* of(int rank) const { return blocks_[static_cast<std::size_t>(rank)]; }
  int num_ranks() const { return static_cast<int>(blocks_.size()); }

 private:
  void find_blocks(MPI_Comm comm, std::byte* mine);

  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<std::byte*> blocks_;
};

/// True on every rank when all ranks of the communicator share memory. Collective.
bool is_one_node(MPI_Comm comm);

}  // namespace halyard::bench
