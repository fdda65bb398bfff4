// See counter.hpp.
#include "metrics/counter.hpp"

namespace halyard::metrics {

TickBounds::TickBounds() {
  const double tick_s = seconds_per_tick();
  for (std::size_t i = 0; i < bounds_.size(); ++i) bounds_[i] = static_cast<Ticks>(kTimeBounds[i] / tick_s);
}

void Histogram::add_to(Distribution& all, double tick_s) const {
  for (std::size_t i = 0; i < counts_.size(); ++i) all.counts[i] += counts_[i].value();
  all.sum_s += static_cast<double>(sum_.value()) * tick_s;
}

}  // namespace halyard::metrics
