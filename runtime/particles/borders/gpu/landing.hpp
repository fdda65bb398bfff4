// GhostLanding: the layout of where messages of ghosts land, on a GPU or, for staged links, in host memory; it grows
// with what links carry. Two slots; in each, link by link. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "pack/device/compile.hpp"

namespace halyard::particles {

class GhostLanding {
 public:
  explicit GhostLanding(std::size_t num_links) : capacity_(num_links, 0), places_(num_links) {}

  /// Room for `bytes` of each link. True when all of it lies somewhere else now.
  bool fit(const std::vector<std::int64_t>& bytes);

  std::size_t bytes() const { return 2 * slot_bytes_; }
  std::uint64_t slot_bytes() const { return slot_bytes_; }
  /// Offset of a link's part in the first slot.
  std::uint64_t place(std::size_t link) const { return places_[link]; }
  std::int64_t capacity(std::size_t link) const { return capacity_[link]; }

 private:
  std::vector<std::int64_t> capacity_;
  std::vector<std::uint64_t> places_;
  std::uint64_t slot_bytes_ = 0;
};

}  // namespace halyard::particles
