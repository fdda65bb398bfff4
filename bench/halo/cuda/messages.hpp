// Messages: what travels between this rank and its peers in one case, as copy lists for the GPU.
//
// One message a peer, both ways of the same size, boxes in the order of peers_of(); halos that a rank owns itself
// are copied in place by the pack kernel. Made once per method and case.
#pragma once

#include <vector>

#include "halo/cuda/copies.hpp"
#include "halo/cuda/stream_method.hpp"

namespace halyard::bench {

class Messages {
 public:
  struct Part {
    int rank = 0;
    std::int64_t offset = 0;  // doubles, of this peer's message in this rank's buffers
    std::int64_t cells = 0;
  };

  Messages(const CudaInputs& inputs, std::uint32_t num_threads, std::uint32_t wanted_tiles);

  const std::vector<Part>& parts() const { return parts_; }
  std::int64_t num_cells() const { return num_cells_; }
  std::size_t num_bytes() const { return static_cast<std::size_t>(num_cells_) * sizeof(double); }
  const Tiling& tiling() const { return tiling_; }

  /// Fields to messages; message i begins at bases[i]. Slots: doubles between two buffers used in turn.
  CopyList pack_list(const std::vector<double*>& bases, std::int64_t slot = 0) const;
  /// Messages in `buffer`, at their offsets, to the ghosts.
  CopyList unpack_list(double* buffer, std::int64_t slot = 0) const;
  /// Where the messages begin in one buffer.
  std::vector<double*> bases_in(double* buffer) const;

 private:
  const Geometry& geometry_;
  const FieldSet& fields_;
  std::vector<Peer> peers_;
  std::vector<Part> parts_;
  std::int64_t num_cells_ = 0;
  Tiling tiling_;
};

}  // namespace halyard::bench
