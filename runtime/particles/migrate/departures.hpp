// Departures: which particles of a rank leave it, and where to. Positions are looked at once: bad ones are found before
// anything depends on them, those outside their rank's box are wrapped and sent to their owner.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "particles/arrays.hpp"
#include "particles/partition.hpp"

namespace halyard::particles {

struct Departures {
  std::vector<std::int32_t> leavers;  // ascending
  std::vector<std::int32_t> ranks;    // of each leaver
  std::vector<std::int32_t> rows;     // of each, among records that are on the host already; empty: none are

  void clear() {
    leavers.clear();
    ranks.clear();
    rows.clear();
  }
};

/// Where a rank stands in a partition.
struct Standing {
  const Partition& partition;
  int rank = 0;
  double most_box_lengths = 1e6;
};

/// What a rank owns: at open ends, as far as coordinates may be good at all.
SpaceBox home_of(const Standing& standing);

/// Fills `departures` from positions, wrapping them. Answers the first particle whose coordinate is not finite or too
/// far away, if there is one; then nobody departs.
std::optional<std::int64_t> depart_by_position(const Particles& particles, const Roles& roles, const Standing& standing,
                                               Departures& departures);

/// The same from the caller's ranks. Throws Error(invalid_argument) for their number, and ranks out of range.
void depart_to(std::span<const int> destinations, const Particles& particles, int rank, int num_ranks,
               Departures& departures);

}  // namespace halyard::particles
