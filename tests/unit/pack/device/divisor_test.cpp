// Divisor: multiply and shift must divide like / wherever the kernels use it.
#include <gtest/gtest.h>

#include <random>

#include "pack/device/tables.hpp"

namespace halyard::pack::device {
namespace {

constexpr std::uint32_t kTop = kMaxUnitsPerRun;  // numerators are below it, or just at it

void expect_division(std::uint32_t divisor, std::uint32_t n) {
  ASSERT_EQ(Divisor::of(divisor).divide(n), n / divisor) << n << " / " << divisor;
}

TEST(Divisor, DividesSmallNumbersByAllSmallOnes) {
  for (std::uint32_t d = 1; d <= 300; ++d)
    for (std::uint32_t n = 0; n <= 1000; ++n) expect_division(d, n);
}

TEST(Divisor, DividesAroundMultiplesAndAtTheEnds) {
  std::mt19937 engine(1);
  const auto random = [&] { return static_cast<std::uint32_t>(engine()); };
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t d = 1 + (random() >> (random() % 31)) % kTop;
    const std::uint32_t multiple = random() % (kTop / d + 1) * d;
    for (const std::uint32_t n : {multiple, multiple + 1, multiple == 0 ? 0 : multiple - 1, kTop, kTop - 1, 0U})
      expect_division(d, n);
  }
}

TEST(Divisor, DividesByPowersOfTwoAndTheirNeighbors) {
  for (unsigned shift = 0; shift <= 30; ++shift)
    for (const std::uint32_t d : {(1U << shift) - 1, 1U << shift, (1U << shift) + 1}) {
      if (d == 0) continue;
      for (const std::uint32_t n : {0U, 1U, d - 1, d, d + 1, 2 * d - 1, 2 * d, kTop - 1, kTop}) {
        if (n <= 0x7fffffffU) expect_division(d, n);
      }
    }
}

TEST(Divisor, IsKnownAtCompileTime) {
  static_assert(Divisor::of(7).divide(48) == 6);
  static_assert(Divisor::of(kMaxUnitsPerRun).divide(kMaxUnitsPerRun - 1) == 0);
}

}  // namespace
}  // namespace halyard::pack::device
