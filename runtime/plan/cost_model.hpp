// predicted_us: what a message should take by a path, before anything was measured. Pure; any thread.
//
// Latency plus bytes by bandwidth, with constants of common machines (docs/metrics.md): good for telling a path that is
// ten times too slow, not for comparing machines. What was measured stands beside it in explain().
#pragma once

#include <cstdint>

#include "halyard/path.hpp"

namespace halyard::plan {

/// Microseconds from packing on one rank to unpacked ghosts on the other.
double predicted_us(Path path, bool is_staged, std::int64_t bytes);

}  // namespace halyard::plan
