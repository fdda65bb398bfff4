// See landing.hpp.
#include "particles/borders/gpu/landing.hpp"

#include <algorithm>

#include "particles/borders/ghost_exchange.hpp"

namespace halyard::particles {

bool GhostLanding::fit(const std::vector<std::int64_t>& bytes) {
  constexpr std::uint64_t kAlignment = 256;
  bool is_enough = slot_bytes_ > 0;
  for (std::size_t l = 0; l < bytes.size(); ++l) is_enough = is_enough && bytes[l] <= capacity_[l];
  if (is_enough) return false;
  std::uint64_t next = 0;
  for (std::size_t l = 0; l < bytes.size(); ++l) {
    capacity_[l] = std::max(capacity_[l], ghost_capacity_for(bytes[l]));
    places_[l] = next;
    next += (static_cast<std::uint64_t>(capacity_[l]) + kAlignment - 1) / kAlignment * kAlignment;
  }
  slot_bytes_ = std::max(next, kAlignment);
  return true;
}

}  // namespace halyard::particles
