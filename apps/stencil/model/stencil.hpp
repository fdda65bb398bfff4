// Stencil: which discrete Laplacian is used, its weights, its symbol and the largest stable time
// step.
//
// Pure values and functions. Grid spacing is 1. L(u) is a weighted sum over a cell and its
// neighbors; one time step is u' = u + c * L(u), itself a stencil with the weights of
// update_weights().
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "halyard/box.hpp"
#include "halyard/pattern.hpp"

namespace halyard::stencil {

/// `star`: cells along the axes only. `box`: all 27 cells of the 3 x 3 x 3 cube.
enum class StencilShape { star, box };

inline constexpr int kMaxRadius = 4;

struct Stencil {
  StencilShape shape = StencilShape::star;
  int radius = 1;

  int num_points() const { return shape == StencilShape::box ? 27 : 6 * radius + 1; }
  /// "7-point", "13-point", …
  std::string name() const { return std::to_string(num_points()) + "-point"; }
  /// The ghosts that it reads.
  Reach reach() const { return shape == StencilShape::box ? Reach::full : Reach::faces; }
};

/// Weights of a stencil that is symmetric in every axis and under exchange of axes.
struct Weights {
  double center = 0;
  std::array<double, kMaxRadius> axis{};  // axis[k - 1]: cells k away along one axis
  double edge = 0;                        // cells one away along two axes
  double corner = 0;                      // cells one away along all axes
};

/// Central difference of order 2 * radius for the second derivative: element k weighs u(x - k) and
/// u(x + k).
std::array<double, kMaxRadius + 1> second_difference(int radius);

/// The weights of L.
Weights laplacian(const Stencil& stencil);

/// The weights of one time step, u + c * L(u).
Weights update_weights(const Stencil& stencil, double coefficient);

/// What the stencil multiplies a wave by that advances by `angle[a]` radians a cell along axis a.
long double symbol(const Weights& weights, const std::array<long double, 3>& angle);

/// The largest c for which no wave grows.
double stability_limit(const Stencil& stencil);

}  // namespace halyard::stencil
