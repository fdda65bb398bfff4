// LastPositions: where each particle was when all was well, for the report of one that is not. One thread.
#pragma once

#include <optional>
#include <vector>

#include "particles/arrays.hpp"

namespace halyard::particles {

class LastPositions {
 public:
  void save(const Particles& particles, const Roles& roles);
  /// Of particle i: by id where there are ids, else by its number, which is right as long as the caller keeps the
  /// order.
  std::optional<Point3> of(const Particles& particles, const Roles& roles, std::int64_t i) const;

 private:
  std::vector<Point3> positions_;
  std::vector<std::int64_t> ids_;
};

}  // namespace halyard::particles
