// Weights and symbols of the stencils: what they are exact for, and when a step is stable.
#include "model/stencil.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace halyard::stencil {
namespace {

class Radius : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(OneToFour, Radius, testing::Values(1, 2, 3, 4));

TEST_P(Radius, ReproducesPolynomialsOfDegreeUpToTwiceTheRadiusPlusOne) {
  const int radius = GetParam();
  const auto c = second_difference(radius);
  for (int degree = 0; degree <= 2 * radius + 1; ++degree) {
    const double x = 1.5;
    double sum = c[0] * std::pow(x, degree);
    for (int k = 1; k <= radius; ++k)
      sum += c[static_cast<std::size_t>(k)] * (std::pow(x + k, degree) + std::pow(x - k, degree));
    const double exact = degree < 2 ? 0 : degree * (degree - 1) * std::pow(x, degree - 2);
    EXPECT_NEAR(sum, exact, 1e-9 * (1 + std::pow(x + radius, degree))) << "degree " << degree;
  }
}

TEST_P(Radius, DoesNotReproduceTheNextEvenDegree) {
  const int degree = 2 * GetParam() + 2;
  const auto c = second_difference(GetParam());
  double at_zero = 0;  // the second derivative of x^degree at 0 is 0
  for (int k = 1; k <= GetParam(); ++k) at_zero += 2 * c[static_cast<std::size_t>(k)] * std::pow(k, degree);
  EXPECT_GT(std::abs(at_zero), 0.5);
}

TEST(Stencil, SecondDifferencesAreTheTabulatedOnes) {
  const auto c = second_difference(4);
  EXPECT_DOUBLE_EQ(c[0], -205.0 / 72);
  EXPECT_DOUBLE_EQ(c[1], 8.0 / 5);
  EXPECT_DOUBLE_EQ(c[2], -1.0 / 5);
  EXPECT_DOUBLE_EQ(c[3], 8.0 / 315);
  EXPECT_DOUBLE_EQ(c[4], -1.0 / 560);
}

TEST(Stencil, BoxWeightsSumToZeroAndHaveTheSecondMomentOfALaplacian) {
  const Weights w = laplacian({StencilShape::box, 1});
  EXPECT_NEAR(w.center + 6 * w.axis[0] + 12 * w.edge + 8 * w.corner, 0, 1e-15);
  EXPECT_NEAR(2 * w.axis[0] + 8 * w.edge + 8 * w.corner, 2, 1e-15);
}

TEST(Stencil, SymbolOfSmoothWavesIsMinusTheSquareOfTheWaveNumber) {
  const std::array<long double, 3> angle{0.01L, 0.02L, 0.03L};
  const long double exact = -(0.0001L + 0.0004L + 0.0009L);
  for (const Stencil stencil :
       {Stencil{StencilShape::star, 1}, Stencil{StencilShape::star, 4}, Stencil{StencilShape::box, 1}})
    EXPECT_NEAR(static_cast<double>(symbol(laplacian(stencil), angle) / exact), 1, 1e-3) << stencil.name();
}

TEST(Stencil, SevenPointsAreStableUpToOneSixth) {
  EXPECT_NEAR(stability_limit({StencilShape::star, 1}), 1.0 / 6, 1e-15);
}

TEST(Stencil, NoWaveGrowsAtTheStabilityLimitOfAnyStencil) {
  const long double pi = std::numbers::pi_v<long double>;
  for (const Stencil stencil :
       {Stencil{StencilShape::star, 1}, Stencil{StencilShape::star, 2}, Stencil{StencilShape::star, 3},
        Stencil{StencilShape::star, 4}, Stencil{StencilShape::box, 1}}) {
    const Weights step = update_weights(stencil, stability_limit(stencil));
    for (int i = 0; i < 9 * 9 * 9; ++i) {
      const long double factor = symbol(step, {pi * (i % 9) / 8, pi * (i / 9 % 9) / 8, pi * (i / 81) / 8});
      EXPECT_LE(std::abs(factor), 1 + 1e-12L) << stencil.name();
    }
  }
}

TEST(Stencil, NamesCountItsPoints) {
  EXPECT_EQ((Stencil{StencilShape::star, 1}.name()), "7-point");
  EXPECT_EQ((Stencil{StencilShape::star, 4}.name()), "25-point");
  EXPECT_EQ((Stencil{StencilShape::box, 1}.name()), "27-point");
}

}  // namespace
}  // namespace halyard::stencil
