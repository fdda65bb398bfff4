// collect: rank 0 hears what each rank has to say at the end of a context, and how its clock stands to rank 0's.
//
// Collective, but it does not depend on anybody: a rank that does not come within a few seconds is left out, and a rank
// that rank 0 does not call goes on alone.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "context/observe/talk.hpp"

namespace halyard::context {

/// What is added to a rank's steady clock (nanoseconds) to get rank 0's, as it was at `at_ns` of the rank's own.
struct ClockReading {
  std::int64_t at_ns = 0;
  std::int64_t offset_ns = 0;
};

/// One rank's part, as rank 0 sees it.
struct Said {
  int rank = 0;
  ClockReading clock;
  transport::Blob bytes;
};

/// Collective. On rank 0: the clocks of all ranks, by rank; of those that do not answer a zero.
std::vector<ClockReading> read_clocks(Talk& talk);

/// Collective. On rank 0: calls `heard` for each rank that came, itself included, in ascending order; answers those
/// that did not come. `seconds`: how long rank 0 waits for a rank.
std::vector<int> collect(Talk& talk, const transport::Blob& mine, double seconds,
                         const std::function<void(const Said&)>& heard);

}  // namespace halyard::context
