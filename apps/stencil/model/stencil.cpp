// Weights and symbols.
//
// Star: Fornberg, "Generation of finite difference formulas on arbitrarily spaced grids", Math.
// Comp. 51 (1988): for the second derivative and radius r, c_k = 2 (-1)^(k+1) (r!)^2 / (k^2 (r-k)!
// (r+k)!), c_0 = -2 sum_k c_k. Box: O'Reilly and Beck, "A family of large-stencil discrete
// Laplacian approximations in three dimensions", Int. J. Numer. Meth. Engng (2006): faces 14/30,
// edges 3/30, corners 1/30, center -128/30; its leading error is isotropic.
#include "model/stencil.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace halyard::stencil {
namespace {

double factorial(int n) { return n < 2 ? 1.0 : n * factorial(n - 1); }

}  // namespace

std::array<double, kMaxRadius + 1> second_difference(int radius) {
  std::array<double, kMaxRadius + 1> c{};
  const double r2 = factorial(radius) * factorial(radius);
  for (int k = 1; k <= radius; ++k) {
    const double sign = k % 2 == 1 ? 1.0 : -1.0;
    const double value = sign * 2.0 * r2 / (k * k * factorial(radius - k) * factorial(radius + k));
    c[static_cast<std::size_t>(k)] = value;
    c[0] -= 2.0 * value;
  }
  return c;
}

Weights laplacian(const Stencil& stencil) {
  if (stencil.shape == StencilShape::box) return {-128.0 / 30.0, {14.0 / 30.0}, 3.0 / 30.0, 1.0 / 30.0};
  const auto c = second_difference(stencil.radius);
  Weights weights;
  weights.center = 3.0 * c[0];
  std::copy(c.begin() + 1, c.end(), weights.axis.begin());
  return weights;
}

Weights update_weights(const Stencil& stencil, double coefficient) {
  Weights weights = laplacian(stencil);
  weights.center = 1.0 + coefficient * weights.center;
  for (double& w : weights.axis) w *= coefficient;
  weights.edge *= coefficient;
  weights.corner *= coefficient;
  return weights;
}

long double symbol(const Weights& weights, const std::array<long double, 3>& angle) {
  const std::array<long double, 3> c{std::cos(angle[0]), std::cos(angle[1]), std::cos(angle[2])};
  long double sum = weights.center;
  for (std::size_t k = 0; k < weights.axis.size(); ++k)
    for (const long double a : angle) sum += 2.0L * weights.axis[k] * std::cos(static_cast<long double>(k + 1) * a);
  sum += 4.0L * weights.edge * (c[0] * c[1] + c[1] * c[2] + c[0] * c[2]);
  return sum + 8.0L * weights.corner * c[0] * c[1] * c[2];
}

double stability_limit(const Stencil& stencil) {
  // |1 + c s| <= 1 for every value s of the symbol. A star's s falls with each angle; a box's s is
  // linear in each cosine: in both cases the most negative s has every angle at 0 or pi.
  const Weights weights = laplacian(stencil);
  const long double pi = std::numbers::pi_v<long double>;
  long double most_negative = 0;
  for (int corner = 0; corner < 8; ++corner) {
    const std::array<long double, 3> angle{(corner & 1) ? pi : 0, (corner & 2) ? pi : 0, (corner & 4) ? pi : 0};
    most_negative = std::min(most_negative, symbol(weights, angle));
  }
  return static_cast<double>(-2.0L / most_negative);
}

}  // namespace halyard::stencil
