// Counter, Histogram and the ticks that they are fed with.
#include "metrics/counter.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace halyard::metrics {
namespace {

Ticks ticks_of(double seconds) { return static_cast<Ticks>(seconds / seconds_per_tick()); }

Distribution distribution_of(const Histogram& histogram) {
  Distribution all;
  histogram.add_to(all, seconds_per_tick());
  return all;
}

TEST(Counter, AddsWhatItIsGiven) {
  Counter counter;
  counter.add(3);
  counter.add(UINT64_C(1) << 40);
  EXPECT_EQ(counter.value(), (UINT64_C(1) << 40) + 3);
}

TEST(Ticks, RunAsTheSteadyClockDoes) {
  const double tick_s = seconds_per_tick();
  const Moment begin = Moment::now();
  Moment end = begin;
  while (end.steady_ns - begin.steady_ns < 2'000'000) end = Moment::now();
  const double by_clock = static_cast<double>(end.steady_ns - begin.steady_ns) * 1e-9;
  const double by_ticks = static_cast<double>(end.ticks - begin.ticks) * tick_s;
  EXPECT_NEAR(by_ticks, by_clock, by_clock * 0.05 + 50e-6);
}

TEST(Histogram, PutsEachDurationBelowTheFirstBoundThatIsNotSmaller) {
  const TickBounds bounds;
  for (std::size_t i = 0; i < kTimeBounds.size(); ++i) {
    EXPECT_EQ(bounds.bucket_of(ticks_of(kTimeBounds[i] * 0.9)), i) << kTimeBounds[i];
    EXPECT_EQ(bounds.bucket_of(ticks_of(kTimeBounds[i] * 1.1)), i + 1) << kTimeBounds[i];
  }
  EXPECT_EQ(bounds.bucket_of(0), 0U);
  EXPECT_EQ(bounds.bucket_of(UINT64_MAX), kTimeBounds.size());
}

TEST(Histogram, KeepsCountAndSum) {
  const TickBounds bounds;
  Histogram histogram;
  histogram.add(ticks_of(30e-6), bounds);
  histogram.add(ticks_of(40e-6), bounds);
  histogram.add(ticks_of(20), bounds);
  const Distribution all = distribution_of(histogram);
  EXPECT_EQ(all.count(), 3U);
  EXPECT_EQ(all.counts[5], 2U) << "above 20 us, up to 50 us";
  EXPECT_EQ(all.counts.back(), 1U);
  EXPECT_NEAR(all.sum_s, 20.00007, 0.02);
  EXPECT_NEAR(all.mean_s(), 20.00007 / 3, 0.01);
  EXPECT_EQ(Distribution{}.mean_s(), 0) << "of nothing";
}

}  // namespace
}  // namespace halyard::metrics
