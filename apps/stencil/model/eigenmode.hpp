// Eigenmode: an exact solution of the discrete problem on a periodic grid.
//
// The mode is a product of cosines, one per axis, with whole wave numbers and a phase of its own on
// each axis. Stencils that are symmetric in every axis multiply it by their symbol, so after n
// steps it is symbol^n times itself. The symbol is taken of the rounded weights that the kernel
// uses, in long double; what is left of the error is rounding.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

#include "io/block.hpp"
#include "model/grid.hpp"
#include "model/stencil.hpp"
#include "options.hpp"

namespace halyard::stencil {

inline constexpr double kTolerance = 1e-12;

class Eigenmode {
 public:
  explicit Eigenmode(const Grid& grid);

  /// What one step with these weights multiplies the mode by.
  long double factor(const Weights& weights) const { return symbol(weights, angle_); }

  /// The mode, on this rank's block.
  void fill(const Block& block) const;

  /// Collective: max |u - scale * mode| / max |scale * mode| over all cells; infinite when a cell
  /// is not finite.
  double error(MPI_Comm comm, const Block& block, double scale) const;

 private:
  std::array<long double, 3> angle_;            // radians a cell
  std::array<std::vector<double>, 3> profile_;  // the cosine along each axis of this rank's block
};

/// The c of a run: the user's, or half of the stability limit; with `verify` so small that the mode
/// keeps a tenth of its height, for else the rounding of other modes, which decay more slowly,
/// would be measured. Throws std::invalid_argument when the user's c is not stable.
double choose_coefficient(const Grid& grid, const Settings& settings);

}  // namespace halyard::stencil
