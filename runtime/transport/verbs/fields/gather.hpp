// Gather: a message of a link that lies in fields: its parts, registered, and the writes that take it from there. Owned
// by a Link, which posts the writes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/cache.hpp"
#include "transport/channel.hpp"
#include "transport/verbs/device/rail.hpp"

namespace halyard::transport::verbs {

/// Of one rail.
struct GatherWrite {
  std::uint32_t begin = 0;      // where it begins in header and payload together
  std::vector<ibv_sge> pieces;  // the first write's first piece is the header
};

class Gather {
 public:
  static constexpr std::size_t kMostParts = 15;

  /// Throws Error when a part cannot be registered.
  Gather(const Parts& parts, std::span<const std::unique_ptr<Rail>> rails);

  /// Set-up: what a slab has for the header, and for bytes that nobody reads, and by what keys the rails know it.
  struct Slab {
    std::uint64_t address = 0;
    std::vector<std::uint32_t> keys;  // as many as rails take part
  };
  /// `most` is how much of header and payload goes over one rail, in whole lines.
  void lay_out(const Slab& slab, std::uint32_t most);

  std::span<GatherWrite> writes() { return writes_; }  // data path
  std::uint32_t bytes() const { return bytes_; }       // with the header
  std::size_t num_pieces() const { return parts_.size() + 1; }

 private:
  void cut(std::uint64_t address, std::uint32_t bytes, const std::vector<std::uint32_t>& keys, std::uint32_t most);

  Parts parts_;
  std::uint32_t bytes_ = 0;
  std::vector<std::vector<memory::Lease>> leases_;  // by part and rail; none for what nobody reads
  std::vector<GatherWrite> writes_;
};

}  // namespace halyard::transport::verbs
