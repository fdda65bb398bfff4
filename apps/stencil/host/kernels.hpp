// Kernels: one time step on a region of the block, on the host.
//
// The value of a cell is the same expression of the same cells whichever region it is computed in,
// so results do not depend, bit for bit, on the number of ranks or on overlap. Called by the main
// thread; returns when the region is done.
#pragma once

#include "halyard/box.hpp"
#include "host/field.hpp"
#include "model/stencil.hpp"

namespace halyard::stencil {

/// Where a time step reads and writes.
struct Sweep {
  Array from;
  Array to;
};

class Kernel {
 public:
  /// `weights` as update_weights() gives them.
  Kernel(const Stencil& stencil, const Weights& weights) : stencil_(stencil), weights_(weights) {}

  /// Writes the owned cells of `region` (local coordinates, first owned cell is 0,0,0).
  void apply(const Sweep& sweep, const Box& region) const;

 private:
  template <class Point>
  void run(const Sweep& sweep, const Box& region, const Point& point) const;

  Stencil stencil_;
  Weights weights_;
};

}  // namespace halyard::stencil
