// Backoff: what it answers is all that can be seen of it; how often it reads the clock tells spinning from yielding.
#include "base/backoff.hpp"

#include <gtest/gtest.h>

namespace halyard::base {
namespace {

using Outcome = Backoff::Outcome;

constexpr double kAtOnce = 1e-9;  // passed by the second look at the clock

// Pauses until the deadline passed; `most` when it did not.
int pauses_until_deadline(Backoff& backoff, int most = 100'000) {
  for (int i = 1; i < most; ++i)
    if (backoff.pause() == Outcome::deadline_passed) return i;
  return most;
}

TEST(Backoff, PassesItsDeadline) {
  Backoff backoff({WaitPolicy::kNeverYield, kAtOnce});
  EXPECT_LT(pauses_until_deadline(backoff), 100'000);
}

TEST(Backoff, GoesOnPastTheDeadlineOnceItHasPassed) {
  Backoff backoff({WaitPolicy::kNeverYield, kAtOnce});
  pauses_until_deadline(backoff);
  EXPECT_LT(pauses_until_deadline(backoff), 100'000) << "the deadline is said again, so that nobody can miss it";
}

TEST(Backoff, WithoutADeadlineNeverPassesOne) {
  Backoff backoff({0, 0.0});
  EXPECT_EQ(pauses_until_deadline(backoff, 2000), 2000);
}

TEST(Backoff, NeverAnswersDeadlineOnTheFirstPause) {
  Backoff backoff({0, kAtOnce});
  EXPECT_EQ(backoff.pause(), Outcome::go_on);
}

// A yield costs a system call, so the clock is read every few yields, but only every few hundred spins.
TEST(Backoff, WithNeverYieldSpinsHoweverLongItWaits) {
  Backoff never({WaitPolicy::kNeverYield, 0.0});
  Backoff always({0, kAtOnce});
  const int while_yielding = pauses_until_deadline(always);
  for (int i = 0; i < 200'000; ++i) (void)never.pause();
  Backoff fresh({WaitPolicy::kNeverYield, kAtOnce});
  const int while_spinning = pauses_until_deadline(fresh);
  EXPECT_LT(while_yielding * 10, while_spinning);
}

TEST(Backoff, LetsSleepAfterItsSpinsAndSomeYieldsSinceSomethingMoved) {
  Backoff backoff({WaitPolicy::kYieldEarly, 0.0});
  for (const bool again : {false, true}) {
    for (std::uint32_t i = 0; i < WaitPolicy::kYieldEarly + WaitPolicy::kYieldsBeforeSleep; ++i) {
      ASSERT_FALSE(backoff.may_sleep()) << i << again;
      (void)backoff.pause();
    }
    EXPECT_TRUE(backoff.may_sleep());
    (void)backoff.slept();
    EXPECT_TRUE(backoff.may_sleep());
    backoff.progressed();
  }
}

TEST(Backoff, YieldsOnlyAfterTheSpinsOfItsPolicy) {
  Backoff early({WaitPolicy::kYieldEarly, kAtOnce});
  Backoff late({1'000'000, kAtOnce});
  EXPECT_EQ(pauses_until_deadline(late), pauses_until_deadline(early)) << "both spin until the first look at the clock";
  Backoff at_once({0, kAtOnce});
  Backoff spinning({1'000'000, kAtOnce});
  EXPECT_LT(pauses_until_deadline(at_once), pauses_until_deadline(spinning));
}

TEST(Backoff, SpinsAgainAfterProgress) {
  Backoff backoff({10, 0.0});
  for (int i = 0; i < 1000; ++i) (void)backoff.pause();  // far into yielding
  backoff.progressed();
  Backoff fresh({10, 0.0});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(backoff.pause(), fresh.pause());
}

TEST(Backoff, AsksToLookAroundAboutTenTimesASecond) {
  Backoff backoff({WaitPolicy::kNeverYield, 0.0});
  while (backoff.pause() != Outcome::look_around) {
  }
  EXPECT_GE(backoff.seconds_waited(), 0.1);
  EXPECT_LT(backoff.seconds_waited(), 5.0);
}

TEST(Backoff, MeasuresTimeSinceTheLastProgressAndSinceTheStart) {
  Backoff backoff({0, 0.0});
  (void)backoff.pause();
  while (backoff.seconds_waited() < 0.01) (void)backoff.pause();
  EXPECT_GE(backoff.seconds_since_progress(), 0.01);
  backoff.progressed();
  for (int i = 0; i < 100; ++i) (void)backoff.pause();  // notes the progress when it next reads the clock
  EXPECT_LT(backoff.seconds_since_progress(), backoff.seconds_waited());
  EXPECT_GE(backoff.seconds_waited(), 0.01);
}

}  // namespace
}  // namespace halyard::base
