// Codes: the value that every cell of a case must hold, owned or ghost, after an exchange.
//
// A code names the global cell, the field and the epoch of the fill, so a wrong ghost names its origin
// and a ghost left over from an earlier exchange is wrong too. Pure values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "halo/geometry.hpp"

namespace halyard::bench {

/// Whose cells a method brings into the ghosts.
enum class GhostSource {
  owner,    // the neighbor's: a halo exchange
  own,      // this rank's opposite border: the strided-copy limit
  nothing,  // nobody's: a limit that is measured beside the exchanges
};

inline constexpr double kUnsetCell = -1.0;  // a value that no cell has

class Codes {
 public:
  Codes(const Geometry& geometry, int epoch, GhostSource source);

  /// Of the cell at these coordinates of the array, ghosts included.
  double at(std::size_t field, std::int64_t x, std::int64_t y, std::int64_t z) const {
    return first_ + per_field_ * static_cast<double>(field) +
           static_cast<double>(axes_[0][static_cast<std::size_t>(x)] + axes_[1][static_cast<std::size_t>(y)] +
                               axes_[2][static_cast<std::size_t>(z)]);
  }

 private:
  std::array<std::vector<std::int64_t>, 3> axes_;  // what each array coordinate adds
  double first_ = 0.0;
  double per_field_ = 0.0;
};

}  // namespace halyard::bench
