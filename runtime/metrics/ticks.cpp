// See ticks.hpp.
#include "metrics/ticks.hpp"

#include <chrono>

namespace halyard::metrics {
namespace {

constexpr std::int64_t kShortestBase_ns = 1'000'000;

}  // namespace

Moment Moment::now() {
  const auto steady = std::chrono::steady_clock::now().time_since_epoch();
  return {now_ticks(), std::chrono::duration_cast<std::chrono::nanoseconds>(steady).count()};
}

double seconds_per_tick() {
  static const Moment first = Moment::now();
  Moment last = Moment::now();
  while (last.steady_ns - first.steady_ns < kShortestBase_ns) last = Moment::now();
  return static_cast<double>(last.steady_ns - first.steady_ns) * 1e-9 / static_cast<double>(last.ticks - first.ticks);
}

}  // namespace halyard::metrics
