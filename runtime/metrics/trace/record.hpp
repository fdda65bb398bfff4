// Record: an event as it travels to the rank that writes the file: on the steady clock of its rank, with its name as a
// number. RankTrace: all that one rank has to say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics/trace/trace.hpp"

namespace halyard::metrics {

struct Record {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint64_t bytes = 0;
  std::uint32_t binding = 0;
  std::uint32_t step = 0;  // Step::code
  std::int32_t peer = kNoPeer;
  std::uint16_t thread = 0;
  EventKind kind = EventKind::nothing;
  std::uint8_t gpu = 0;    // its ordinal + 1; 0: the host
  std::uint64_t name = 0;  // of a user range: place in RankTrace::names
};

struct RankTrace {
  int rank = 0;
  std::uint64_t dropped = 0;
  std::vector<std::string> names;
  std::vector<Record> records;  // by when they began
  std::vector<GpuClock> gpu_clocks = {};
};

/// Nobody may be adding to the trace.
RankTrace taken_down(const Trace& trace, int rank);

}  // namespace halyard::metrics
