// IdCheck: proves that no particle was lost, doubled or made up. Each id has a keeper, a rank chosen by its hash, which
// learns who holds it and compares with what it was told before; so no rank needs to know all ids. Collective.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "particles/arrays.hpp"
#include "particles/everyone.hpp"

namespace halyard::particles {

class IdCheck {
 public:
  /// Takes the ids as they are for right. Throws the same Error on every rank when one is there twice.
  void accept(Everyone& everyone, const Particles& particles, const Roles& roles);
  bool has_accepted() const { return has_accepted_; }

  /// Throws the same Error on every rank when ids are not those accepted; it lists the first five that are missing.
  void check(Everyone& everyone, const Particles& particles, const Roles& roles, const std::string& when);

 private:
  std::vector<std::int64_t> ids_;  // that this rank keeps, ascending
  bool has_accepted_ = false;
};

}  // namespace halyard::particles
