// Kernels: one time step on a GPU, in two launches: the cells that read no ghosts, and all others.
//
// The calls only enqueue, on the stream of `space`. The value of a cell is the same expression of the same cells as on
// the host, and no multiply-add is fused, so results are those of the host, bit for bit.
#pragma once

#include <Kokkos_Core.hpp>

#include "gpu/cuda/field.hpp"
#include "halyard/box.hpp"
#include "model/grid.hpp"
#include "model/stencil.hpp"

namespace halyard::stencil::gpu {

/// Where a time step reads and writes.
struct Sweep {
  Array from;
  Array to;
};

class Kernels {
 public:
  /// `weights` as update_weights() gives them; `owned` are the extents of this rank's block.
  Kernels(const Stencil& stencil, const Weights& weights, const Index3& owned);

  void interior(const Kokkos::Cuda& space, const Sweep& sweep) const;
  void boundary(const Kokkos::Cuda& space, const Sweep& sweep) const;

 private:
  template <class Launch>
  void with_point(const Launch& launch) const;

  Stencil stencil_;
  Weights weights_;
  Box interior_;  // in cells of the array, ghosts included
  std::vector<Box> boundary_;
};

}  // namespace halyard::stencil::gpu
