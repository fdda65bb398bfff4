// Grid: the cells of the whole problem, how ranks share them, and the block of this rank.
//
// The same on every rank but for `mine`. Pure data.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "halyard/box.hpp"
#include "halyard/decomposition.hpp"
#include "model/stencil.hpp"

namespace halyard::stencil {

/// What the user asked for; `ranks` absent: halyard::balanced_ranks.
struct GridRequest {
  Index3 cells{1, 1, 1};
  std::optional<Index3> ranks;
  std::array<bool, 3> periodic{true, true, true};
  Stencil stencil;
};

struct Grid {
  Index3 cells;
  Index3 ranks;
  std::array<bool, 3> periodic;
  Stencil stencil;
  Decomposition decomposition;
  Box mine;  // owned cells of this rank, in global coordinates; may be empty

  Width width() const { return Width::all(stencil.radius); }
};

/// Throws std::invalid_argument when the process grid does not have `num_ranks` ranks or the cells
/// cannot be counted.
Grid make_grid(const GridRequest& request, int rank, int num_ranks);

/// The owned cells of a rank.
Box block_of(const Decomposition& decomposition, int rank);

/// This rank's block in local coordinates, cut into what needs no ghosts and what does.
struct Regions {
  std::vector<Box> interior;  // slabs along z, so that an exchange can be driven between them
  std::vector<Box> boundary;
};

Regions split_regions(const Index3& owned, int radius);

}  // namespace halyard::stencil
