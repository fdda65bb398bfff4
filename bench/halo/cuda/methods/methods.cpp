// The list of all GPU methods of the halo bench and the modes they can be driven in; see ../stream_method.hpp.
#include "halo/cuda/methods/methods.hpp"

namespace halyard::bench {

const std::vector<StreamMethodEntry>& stream_methods() {
  using enum Mode;
  static const std::vector<StreamMethodEntry> entries{
      {"halyard", {stream, sync, graph}, &make_halyard_stream, true},
      {"halyard-split", {stream, sync, graph}, &make_halyard_split, true},
      {"cuda-mpi", {stream, sync}, &make_cuda_mpi},
      {"nccl", {stream, sync, graph}, &make_nccl},
      {"nvshmem", {stream, sync, graph}, &make_nvshmem},
      {"staged-mpi", {stream, sync}, &make_staged_mpi},
      {"limit-copy", {stream, sync, graph}, &make_limit_copy},
      {"limit-launch", {stream, sync, graph}, &make_limit_launch},
      {"limit-flag", {stream}, &make_limit_flag},
  };
  return entries;
}

}  // namespace halyard::bench
