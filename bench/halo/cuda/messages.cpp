// Copy lists of the messages of a case; see messages.hpp.
#include "halo/cuda/messages.hpp"

#include "halo/methods/copy_lists.hpp"

namespace halyard::bench {

Messages::Messages(const CudaInputs& inputs, std::uint32_t num_threads, std::uint32_t wanted_tiles)
    : geometry_(inputs.geometry), fields_(inputs.fields), peers_(peers_of(inputs.geometry)) {
  for (const Peer& peer : peers_) {
    parts_.push_back({peer.rank, num_cells_, peer.receive_cells()});
    num_cells_ += (peer.receive_cells() + 1) / 2 * 2;  // each message at 16 bytes
  }
  tiling_ = choose_tiling(num_cells_, num_threads, wanted_tiles);
}

CopyList Messages::pack_list(const std::vector<double*>& bases, std::int64_t slot) const {
  CopyList list;
  for (std::size_t i = 0; i < peers_.size(); ++i)
    append_message(list, pack_copies(geometry_, peers_[i].sends, fields_, bases[i]), tiling_, {0, slot});
  append_message(list, own_copies(geometry_, fields_), tiling_);
  return list;
}

CopyList Messages::unpack_list(double* buffer, std::int64_t slot) const {
  CopyList list;
  for (std::size_t i = 0; i < peers_.size(); ++i)
    append_message(list, unpack_copies(geometry_, peers_[i].receives, fields_, buffer + parts_[i].offset), tiling_,
                   {slot, 0});
  return list;
}

std::vector<double*> Messages::bases_in(double* buffer) const {
  std::vector<double*> bases;
  for (const Part& part : parts_) bases.push_back(buffer + part.offset);
  return bases;
}

}  // namespace halyard::bench
