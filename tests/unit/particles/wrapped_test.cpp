// wrapped: lo <= x < hi whatever comes in, in float and double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "halyard/particle_domain.hpp"

namespace halyard {
namespace {

template <class T>
class Wrapped : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Wrapped, Scalars);

struct Range {
  double lo;
  double hi;
};
constexpr Range kRanges[] = {{0, 10}, {-3.3, 7.1}, {1e6, 1e6 + 1}, {-1e-3, 1e-3}, {0.1, 0.3}, {-7, -2}, {0, 1e30}};

template <class T>
::testing::AssertionResult is_inside(T x, const Range& range) {
  const T y = wrapped(x, range.lo, range.hi);
  if (static_cast<double>(y) >= range.lo && static_cast<double>(y) < range.hi) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << x << " became " << y << ", not in [" << range.lo << ", " << range.hi << ")";
}

TYPED_TEST(Wrapped, IsInRangeNextToBothEndsAndManyBoxLengthsAway) {
  using T = TypeParam;
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  for (const Range& range : kRanges)
    for (const double lengths : {0.0, 1.0, -1.0, 2.0, -2.0, 50.0, -50.0, 1e6, -1e6, 1e15, -1e15})
      for (const double end : {range.lo, range.hi}) {
        T x = static_cast<T>(end + lengths * (range.hi - range.lo));
        for (int steps = 0; steps < 4; ++steps) x = std::nextafter(x, -kInfinity);
        for (int steps = -4; steps <= 4; ++steps, x = std::nextafter(x, kInfinity)) ASSERT_TRUE(is_inside(x, range));
      }
}

TYPED_TEST(Wrapped, IsInRangeForDenormalsExtremesAndRandomBits) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(1);
  for (const Range& range : kRanges) {
    for (const T x : {Limits::denorm_min(), -Limits::denorm_min(), Limits::min(), -Limits::min(), Limits::max(),
                      Limits::lowest(), Limits::epsilon(), -Limits::epsilon(), T{0}, -T{0}})
      ASSERT_TRUE(is_inside(x, range));
    for (int i = 0; i < 20'000; ++i) {
      T x;
      const std::uint64_t bits = random();
      std::memcpy(&x, &bits, sizeof(x));
      if (std::isfinite(x)) {
        ASSERT_TRUE(is_inside(x, range));
      }
    }
  }
}

TYPED_TEST(Wrapped, LeavesWhatIsInRangeAloneToTheBit) {
  using T = TypeParam;
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> inside(-3.3, 7.1);
  for (int i = 0; i < 10'000; ++i) {
    const T x = static_cast<T>(inside(random));
    if (static_cast<double>(x) < 7.1 && static_cast<double>(x) >= -3.3) {
      ASSERT_EQ(wrapped(x, -3.3, 7.1), x);
    }
  }
}

// Field case P02: -1e-8f + 10 is 10.0f.
TEST(WrappedFloat, KeepsTheSideOfWhatRoundsUpToTheEnd) {
  EXPECT_EQ(wrapped(-1e-8F, 0, 10), std::nextafter(10.0F, 0.0F));
  EXPECT_EQ(wrapped(-1e-7F, 0, 10), std::nextafter(10.0F, 0.0F));
  EXPECT_EQ(wrapped(-1e-17, 0, 10), std::nextafter(10.0, 0.0));
  EXPECT_EQ(wrapped(10.0F, 0, 10), 0.0F);
}

TEST(WrappedDouble, IsTheImageAndCountsTheBoxLengthsTakenOff) {
  double crossings = 7;
  EXPECT_EQ(wrapped(4.0, 0.0, 10.0, &crossings), 4.0);
  EXPECT_EQ(crossings, 0);
  EXPECT_EQ(wrapped(34.0, 0.0, 10.0, &crossings), 4.0);
  EXPECT_EQ(crossings, 3);
  EXPECT_EQ(wrapped(-6.0, 0.0, 10.0, &crossings), 4.0);
  EXPECT_EQ(crossings, -1);
  EXPECT_EQ(wrapped(-1e-17, 0.0, 10.0, &crossings), std::nextafter(10.0, 0.0));
  EXPECT_EQ(crossings, -1);
  EXPECT_EQ(wrapped(10.0, 0.0, 10.0, &crossings), 0.0);
  EXPECT_EQ(crossings, 1);
  EXPECT_EQ(wrapped(-20.0, 0.0, 10.0, &crossings), 0.0);
  EXPECT_EQ(crossings, -2);
}

}  // namespace
}  // namespace halyard
