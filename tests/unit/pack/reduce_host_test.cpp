// reduce: sum, min and max of every scalar type against the plain loop; NaN; integers that wrap.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "unit/pack/naive.hpp"

namespace halyard::pack {
namespace {

template <class T>
class ReduceOf : public testing::Test {};

using Scalars = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                               std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(ReduceOf, Scalars);

template <class T>
T expected_of(Reduce op, T held, T arrived) {
  if (op == Reduce::min) return arrived < held ? arrived : held;
  if (op == Reduce::max) return held < arrived ? arrived : held;
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::make_unsigned_t<T>>(held) + static_cast<std::make_unsigned_t<T>>(arrived));
  else
    return held + arrived;
}

// Any bits that are a number; integers therefore wrap now and then.
template <class T>
T drawn(test::Draw& draw) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(draw.between(-1'000'000, 1'000'000)) / T{7};
  return static_cast<T>(draw.bits());
}

template <class T>
Block block_of(test::Draw& draw, const Index3& count, std::int64_t components, test::Array& from, test::Array& to) {
  const std::int64_t element = components * static_cast<std::int64_t>(sizeof(T));
  from = test::random_array(draw, count, element);
  to = test::random_array(draw, count, element);
  return {static_cast<Place>(from.first),
          static_cast<Place>(to.first),
          element,
          count,
          from.stride,
          to.stride,
          scalar_of<T>()};
}

template <class T>
std::vector<std::byte> numbers(test::Draw& draw, const Program& program, std::int64_t bytes, bool is_source) {
  std::vector<std::byte> memory(static_cast<std::size_t>(bytes));
  test::for_each_row(program, [&](Place source, Place target, std::int64_t row) {
    for (std::int64_t b = 0; b < row; b += static_cast<std::int64_t>(sizeof(T))) {
      const T value = drawn<T>(draw);
      std::memcpy(memory.data() + moved(is_source ? source : target, b), &value, sizeof(T));
    }
  });
  return memory;
}

template <class T>
void reduce_naively(const Program& program, Reduce op, const std::byte* source, std::byte* target) {
  test::for_each_row(program, [&](Place from, Place to, std::int64_t row) {
    for (std::int64_t b = 0; b < row; b += static_cast<std::int64_t>(sizeof(T))) {
      T held, arrived;
      std::memcpy(&held, target + moved(to, b), sizeof(T));
      std::memcpy(&arrived, source + moved(from, b), sizeof(T));
      held = expected_of(op, held, arrived);
      std::memcpy(target + moved(to, b), &held, sizeof(T));
    }
  });
}

TYPED_TEST(ReduceOf, BlocksEqualsThePlainLoopWhateverTheLayout) {
  using T = TypeParam;
  for (const Reduce op : {Reduce::sum, Reduce::min, Reduce::max})
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      test::Draw draw(seed);
      const Index3 count{draw.between(1, 4), draw.between(1, 4), draw.between(1, 4)};
      test::Array from;
      test::Array to;
      const Program program{{normalized(block_of<T>(draw, count, draw.between(1, 8), from, to))}, {}};
      const auto source = numbers<T>(draw, program, from.bytes, true);
      auto target = numbers<T>(draw, program, to.bytes, false);
      auto expected = target;
      reduce_naively<T>(program, op, source.data(), expected.data());
      reduce(program, op, source.data(), target.data());
      ASSERT_EQ(target, expected) << "seed " << seed;
    }
}

TYPED_TEST(ReduceOf, ListsEqualsThePlainLoop) {
  using T = TypeParam;
  const auto bytes = static_cast<std::int64_t>(sizeof(T));
  for (const Reduce op : {Reduce::sum, Reduce::min, Reduce::max}) {
    test::Draw draw(5);
    const Program program{{},
                          {{0, 0, 2 * bytes, 4, {6 * bytes, 0, 2 * bytes, 4 * bytes}, {}, scalar_of<T>()},
                           {0, 0, 2 * bytes, 4, {}, {0, 0, 4 * bytes, 0}, scalar_of<T>()}}};
    const auto source = numbers<T>(draw, program, 8 * bytes, true);
    auto target = numbers<T>(draw, program, 8 * bytes, false);
    auto expected = target;
    reduce_naively<T>(program, op, source.data(), expected.data());
    reduce(program, op, source.data(), target.data());
    EXPECT_EQ(target, expected);
  }
}

template <class T>
T reduced(Reduce op, T held, T arrived) {
  const Program program{{{0, 0, sizeof(T), {1, 1, 1}, {}, {}, scalar_of<T>()}}, {}};
  reduce(program, op, reinterpret_cast<const std::byte*>(&arrived), reinterpret_cast<std::byte*>(&held));
  return held;
}

TEST(Reduce, OfIntegersWrapsLikeTheHardware) {
  EXPECT_EQ(reduced<std::int8_t>(Reduce::sum, 127, 1), -128);
  EXPECT_EQ(reduced<std::uint16_t>(Reduce::sum, 65535, 2), 1);
  EXPECT_EQ(reduced<std::int32_t>(Reduce::sum, INT32_MIN, -1), INT32_MAX);
  EXPECT_EQ(reduced<std::int64_t>(Reduce::sum, INT64_MAX, 1), INT64_MIN);
  EXPECT_EQ(reduced<std::uint64_t>(Reduce::sum, UINT64_MAX, 1), 0U);
}

TEST(Reduce, ComparesSignedAndUnsignedEachInItsOwnWay) {
  EXPECT_EQ(reduced<std::int8_t>(Reduce::min, 1, -1), -1);
  EXPECT_EQ(reduced<std::uint8_t>(Reduce::min, 1, 255), 1);
  EXPECT_EQ(reduced<std::uint64_t>(Reduce::max, 1, UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(reduced<std::int64_t>(Reduce::max, 1, INT64_MIN), 1);
}

TEST(Reduce, IgnoresANanThatArrivesAndKeepsOneThatIsHeld) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Reduce op : {Reduce::min, Reduce::max}) {
    EXPECT_EQ(reduced<double>(op, 3.0, nan), 3.0);
    EXPECT_TRUE(std::isnan(reduced<double>(op, nan, 3.0)));
  }
  EXPECT_TRUE(std::isnan(reduced<double>(Reduce::sum, 3.0, nan)));
}

TEST(Reduce, HandlesInfinitiesAndKeepsTheHeldZeroOfTwoEqualOnes) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(reduced<float>(Reduce::max, 1.0F, infinity), infinity);
  EXPECT_EQ(reduced<float>(Reduce::min, 1.0F, -infinity), -infinity);
  EXPECT_FALSE(std::signbit(reduced<double>(Reduce::min, 0.0, -0.0)));
  EXPECT_TRUE(std::signbit(reduced<double>(Reduce::max, -0.0, 0.0)));
}

}  // namespace
}  // namespace halyard::pack
