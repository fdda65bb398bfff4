// Counter, Histogram: numbers that one thread at a time writes and any thread reads. Adding is a load, an addition and
// a store: no lock, no locked instruction.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "halyard/metrics.hpp"
#include "metrics/ticks.hpp"

namespace halyard::metrics {

class Counter {
 public:
  /// Data path. By the one thread that writes.
  void add(std::uint64_t amount) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// The bounds of Distribution in ticks of this machine.
class TickBounds {
 public:
  TickBounds();
  /// Data path. The bucket that a duration falls into; bounds belong to their bucket.
  std::size_t bucket_of(Ticks duration) const {
    return static_cast<std::size_t>(std::lower_bound(bounds_.begin(), bounds_.end(), duration) - bounds_.begin());
  }

 private:
  std::array<Ticks, kTimeBounds.size()> bounds_{};
};

class Histogram {
 public:
  /// Data path. By the one thread that writes.
  void add(Ticks duration, const TickBounds& bounds) {
    counts_[bounds.bucket_of(duration)].add(1);
    sum_.add(duration);
  }
  void add_to(Distribution& all, double tick_s) const;

 private:
  std::array<Counter, kTimeBounds.size() + 1> counts_;
  Counter sum_;
};

}  // namespace halyard::metrics
