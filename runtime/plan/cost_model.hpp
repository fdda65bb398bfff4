// predicted_us: what a message should take by a path, before anything was measured. Pure; any thread.
//
// Latency, then bytes by bandwidth, of which the caches give more for the first few. The constants are fitted to what
// was measured on the machines of bench/results (cost_model.cpp names the file of each); a test holds them to a factor
// of two. Other machines differ: what was measured here stands beside it in explain().
#pragma once

#include <cstdint>

#include "halyard/path.hpp"
#include "halyard/plan.hpp"

namespace halyard::plan {

/// Microseconds from packing on one rank to unpacked ghosts on the other, for a message of a plan for `memory`. On a
/// GPU all messages move at once, on a host one after the other.
double predicted_us(const PlanNeighbor& neighbor, Memory memory);

}  // namespace halyard::plan
