// Trace: a ring that keeps the newest events and counts those that it lost.
#include "metrics/trace/trace.hpp"

#include <gtest/gtest.h>

namespace halyard::metrics {
namespace {

void add(Trace& trace, std::uint64_t number) {
  What what;
  what.kind = EventKind::pack;
  trace.add(what, number, number + 1, Step(number, false));
}

TEST(Trace, AnswersEventsInTheOrderInWhichTheyCame) {
  Trace trace(8);
  for (std::uint64_t n = 0; n < 5; ++n) add(trace, n);
  const auto events = trace.events();
  ASSERT_EQ(events.size(), 5U);
  for (std::size_t n = 0; n < 5; ++n) EXPECT_EQ(events[n].step.number(), n);
  EXPECT_EQ(trace.num_dropped(), 0U);
}

TEST(Trace, KeepsTheNewestAndCountsWhatItDropped) {
  Trace trace(8);
  for (std::uint64_t n = 0; n < 21; ++n) add(trace, n);
  const auto events = trace.events();
  ASSERT_EQ(events.size(), 8U);
  EXPECT_EQ(events.front().step.number(), 13U);
  EXPECT_EQ(events.back().step.number(), 20U);
  EXPECT_EQ(trace.num_dropped(), 13U);
  EXPECT_EQ(trace.num_added(), 21U);
}

TEST(Step, HoldsNumberAndKindInOneWord) {
  const Step step(UINT64_C(0x1'8000'0005), true);
  EXPECT_EQ(step.number(), 5U) << "modulo 2^31";
  EXPECT_TRUE(step.is_reverse());
  EXPECT_EQ(Step::of_code(step.code).kind(), 1U);
  EXPECT_FALSE(Step(5, false).is_reverse());
}

}  // namespace
}  // namespace halyard::metrics
