// Shared windows with aligned blocks; see shared_block.hpp.
#include "common/shared_block.hpp"

#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace halyard::bench {
namespace {

constexpr std::size_t kAlignment = 128;

std::byte* aligned(std::byte* base) {
  const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(base) % kAlignment;
  return past == 0 ? base : base + (kAlignment - past);
}

}  // namespace

bool is_one_node(MPI_Comm comm) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int on_node = 0;
  int in_all = 0;
  MPI_Comm_size(node, &on_node);
  MPI_Comm_size(comm, &in_all);
  MPI_Comm_free(&node);
  return on_node == in_all;  // one node holds all, so every rank sees the same
}

SharedBlock::SharedBlock(MPI_Comm comm, std::size_t bytes) {
  if (!is_one_node(comm)) throw std::runtime_error("the ranks are on more than one node");
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");  // each block on pages of its own
  std::byte* base = nullptr;
  MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes + kAlignment), 1, info, comm, &base, &window_);
  MPI_Info_free(&info);
  std::memset(aligned(base), 0, bytes);
  find_blocks(comm, base);
}

// Where a rank begins inside its segment is told by that rank: mappings may differ.
void SharedBlock::find_blocks(MPI_Comm comm, std::byte* mine) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  const MPI_Aint offset = aligned(mine) - mine;
  std::vector<MPI_Aint> offsets(static_cast<std::size_t>(size));
  MPI_Allgather(&offset, 1, MPI_AINT, offsets.data(), 1, MPI_AINT, comm);
  for (int rank = 0; rank < size; ++rank) {
    MPI_Aint segment_bytes = 0;
    int unit = 0;
    std::byte* base = nullptr;
    MPI_Win_shared_query(window_, rank, &segment_bytes, &unit, &base);
    blocks_.push_back(base + offsets[static_cast<std::size_t>(rank)]);
  }
}

SharedBlock::~SharedBlock() {
  if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
}

}  // namespace halyard::bench
