// See holders.hpp.
#include "mpi/holders.hpp"

#include <algorithm>

namespace halyard::test {
namespace {

std::size_t axes_outside(const Box& box, const Index3& cell) {
  std::size_t count = 0;
  for (std::size_t a = 0; a < 3; ++a) count += cell[a] < box.lo[a] || cell[a] >= box.hi[a] ? 1U : 0U;
  return count;
}

bool is_ghost_of(const BoxHalo& halo, const Box& patch, const Index3& cell) {
  const std::size_t outside = axes_outside(patch, cell);
  return outside > 0 && axes_outside(grown(patch, halo.width), cell) == 0 &&
         (halo.reach == Reach::full || outside == 1);
}

std::int64_t num_images(const BoxHalo& halo, std::size_t axis) {
  if (!halo.periodic[axis]) return 0;
  return std::max(halo.width.lo[axis], halo.width.hi[axis]) / halo.cells.domain().extent(axis) + 1;
}

}  // namespace

std::vector<int> holders_of(const BoxHalo& halo, const Index3& cell) {
  std::vector<int> ranks;
  const Index3 most{num_images(halo, 0), num_images(halo, 1), num_images(halo, 2)};
  const Index3 extent = halo.cells.domain().extents();
  for (int id = 0; id < halo.cells.num_patches(); ++id) {
    const Patch patch = halo.cells.patch(id);
    if (patch.box.empty()) continue;
    Index3 n{};
    for (n[2] = -most[2]; n[2] <= most[2]; ++n[2])
      for (n[1] = -most[1]; n[1] <= most[1]; ++n[1])
        for (n[0] = -most[0]; n[0] <= most[0]; ++n[0])
          if (is_ghost_of(halo, patch.box,
                          {cell[0] + n[0] * extent[0], cell[1] + n[1] * extent[1], cell[2] + n[2] * extent[2]}))
            ranks.push_back(patch.rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

}  // namespace halyard::test
