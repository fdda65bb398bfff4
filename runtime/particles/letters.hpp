// BlobLetters: a round of Mail whose letters are blobs, one to and one from each peer.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "particles/mail.hpp"

namespace halyard::particles {

class BlobLetters final : public Letters {
 public:
  explicit BlobLetters(std::size_t num_peers) : out(num_peers), in(num_peers), num_written_(num_peers, 0) {}

  std::vector<transport::Blob> out;
  std::vector<transport::Blob> in;

  std::size_t write(std::size_t peer, std::span<std::byte> piece) override {
    const transport::Blob& blob = out[peer];
    const std::size_t count = std::min(piece.size(), blob.size() - num_written_[peer]);
    if (count > 0) std::memcpy(piece.data(), blob.data() + num_written_[peer], count);
    num_written_[peer] += count;
    return count;
  }
  bool is_written(std::size_t peer) override { return num_written_[peer] == out[peer].size(); }
  bool take(std::size_t peer, std::span<const std::byte> piece) override {
    in[peer].insert(in[peer].end(), piece.begin(), piece.end());
    return true;
  }

  /// For another round. Keeps memory.
  void clear() {
    for (auto* blobs : {&out, &in})
      for (transport::Blob& blob : *blobs) blob.clear();
    std::fill(num_written_.begin(), num_written_.end(), 0U);
  }

 private:
  std::vector<std::size_t> num_written_;
};

}  // namespace halyard::particles
