// See last_positions.hpp.
#include "particles/migrate/last_positions.hpp"

#include <algorithm>

namespace halyard::particles {

void LastPositions::save(const Particles& particles, const Roles& roles) {
  positions_.clear();
  ids_.clear();
  for (std::int64_t i = 0; i < particles.num_owned; ++i) {
    positions_.push_back(position_of(particles, roles, i));
    if (const auto id = id_of(particles, roles, i)) ids_.push_back(*id);
  }
}

std::optional<Point3> LastPositions::of(const Particles& particles, const Roles& roles, std::int64_t i) const {
  auto at = static_cast<std::size_t>(i);
  if (const auto id = id_of(particles, roles, i))
    at = static_cast<std::size_t>(std::find(ids_.begin(), ids_.end(), *id) - ids_.begin());
  if (at >= positions_.size()) return std::nullopt;
  return positions_[at];
}

}  // namespace halyard::particles
