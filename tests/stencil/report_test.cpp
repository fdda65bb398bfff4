// Spreads, the progress line, and the verdict of a result.
#include <gtest/gtest.h>

#include <limits>

#include "common/progress.hpp"
#include "report/result.hpp"
#include "report/summary.hpp"
#include "report/timing.hpp"

namespace halyard::stencil {
namespace {

TEST(Spread, OfNothingIsZero) {
  const Spread spread = spread_of({});
  EXPECT_EQ(spread.min + spread.median + spread.p99, 0);
}

TEST(Spread, OfOneValueIsThatValue) {
  const Spread spread = spread_of({3});
  EXPECT_EQ(spread.min, 3);
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.p99, 3);
}

TEST(Spread, MedianOfAnEvenCountIsBetweenTheMiddleTwo) { EXPECT_EQ(spread_of({4, 1, 3, 2}).median, 2.5); }

TEST(Spread, NinetyNinthPercentileOfAHundredLeavesOneOut) {
  std::vector<double> sample;
  for (int i = 1; i <= 100; ++i) sample.push_back(i);
  EXPECT_EQ(spread_of(sample).p99, 99);
}

TEST(Progress, SaysHowMuchIsDoneAndHowLongTheRestTakes) {
  EXPECT_EQ(app::progress_text(0, 100, 0), "step 0 of 100, 0 %");
  EXPECT_EQ(app::progress_text(25, 100, 10), "step 25 of 100, 25 %, 30 s left");
  EXPECT_EQ(app::progress_text(1, 100, 70), "step 1 of 100, 1 %, 1 h 55 min left");
}

TEST(Result, IsVerifiedOnlyWithinTheTolerance) {
  Result result;
  EXPECT_FALSE(result.is_verified()) << "not asked";
  result.error = 1e-13;
  EXPECT_TRUE(result.is_verified());
  result.error = 1e-11;
  EXPECT_FALSE(result.is_verified());
  result.error = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(result.is_verified());
  result.error = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(result.is_verified());
}

TEST(Result, SumsTheBytesOfAllPaths) {
  Result result;
  result.paths = {{0, 1, "shared", "best path", 100}, {1, 0, "shared", "best path", 50}};
  EXPECT_EQ(result.bytes_per_step(), 150);
  EXPECT_NE(summary_of(result).find("150 bytes, 2 by shared"), std::string::npos);
}

}  // namespace
}  // namespace halyard::stencil
