// See cell_grid.hpp.
#include "kernels/cell_grid.hpp"

#include <algorithm>
#include <cmath>

namespace halyard::md {

CellGrid CellGrid::around(const SpaceBox& part, double reach) {
  constexpr double kMostOnAxis = 1024;  // an axis that is long and empty needs no more
  CellGrid grid;
  for (int a = 0; a < 3; ++a) {
    const auto axis = static_cast<std::size_t>(a);
    const double width = part.hi[axis] - part.lo[axis] + 2 * reach;
    const double wanted = std::floor(width / (0.5 * reach));
    grid.count[a] = static_cast<int>(std::clamp(wanted, 1.0, kMostOnAxis));
    grid.lo[a] = part.lo[axis] - reach;
    grid.edge[a] = width / grid.count[a];
    grid.inverse[a] = 1 / grid.edge[a];
  }
  return grid;
}

}  // namespace halyard::md
