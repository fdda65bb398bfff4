// Ticks: the cheapest clock there is, for the data path: the processor's time stamp counter where it runs evenly, else
// the steady clock. Any thread.
#pragma once

#include <cstdint>

#include "halyard_ticks.hpp"  // generated: the twin for this processor

namespace halyard::metrics {

using Ticks = std::uint64_t;

/// Data path.
inline Ticks now_ticks() { return here::now(); }

/// Measured against the steady clock since the first call of this; that one lasts a millisecond.
double seconds_per_tick();

/// A moment on both clocks, so that ticks can be told as nanoseconds of the steady clock.
struct Moment {
  Ticks ticks = 0;
  std::int64_t steady_ns = 0;

  static Moment now();
};

}  // namespace halyard::metrics
