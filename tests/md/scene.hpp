// Scene: atoms of one rank in views, owned ones in the order of their cells, for tests of kernels. Kokkos is open while
// tests run.
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <random>
#include <vector>

#include "input/system.hpp"
#include "kernels/cell_order.hpp"
#include "kernels/neighbor_lists.hpp"
#include "kernels/permute.hpp"

namespace halyard::md {

struct Scene {
  /// `owned` lie in `part`, `ghosts` around it. Types go round among `num_types`.
  Scene(const SpaceBox& box, double reach_, const std::vector<Vector>& owned, const std::vector<Vector>& ghosts,
        int num_types = 1)
      : part(box), reach(reach_), grid(CellGrid::around(box, reach_)) {
    const std::size_t all = owned.size() + ghosts.size();
    x = Owned<double* [3], HostSpace>("x", all);
    v = Owned<double* [3], HostSpace>("v", all);
    f = Owned<double* [3], HostSpace>("f", all);
    type = Owned<std::int32_t*, HostSpace>("type", all);
    id = Owned<std::int64_t*, HostSpace>("id", all);
    image = Owned<std::int32_t* [3], HostSpace>("image", all);
    for (std::size_t i = 0; i < all; ++i) {
      const Vector& at = i < owned.size() ? owned[i] : ghosts[i - owned.size()];
      for (std::size_t a = 0; a < 3; ++a) x(i, a) = at[a];
      type(i) = static_cast<std::int32_t>(i % static_cast<std::size_t>(num_types)) + 1;
      id(i) = static_cast<std::int64_t>(i) + 1;
    }
    views = {x, v, f, type, id, image, static_cast<int>(owned.size()), static_cast<int>(ghosts.size())};
    order.sort(grid, views.x, 0, views.num_owned);
    Permute<HostSpace>().apply(views, order.order());
  }

  NeighborLists<HostSpace> lists(ListKind kind) const {
    NeighborLists<HostSpace> made(kind, reach, grid);
    made.build(views, part, order);
    return made;
  }

  double distance_squared(int i, int j) const {
    double sum = 0;
    for (int a = 0; a < 3; ++a) sum += (x(i, a) - x(j, a)) * (x(i, a) - x(j, a));
    return sum;
  }

  SpaceBox part;
  double reach;
  CellGrid grid;
  Owned<double*[3], HostSpace> x, v, f;
  Owned<std::int32_t*, HostSpace> type;
  Owned<std::int64_t*, HostSpace> id;
  Owned<std::int32_t* [3], HostSpace> image;
  AtomViews<HostSpace> views;
  CellOrder<HostSpace> order;
};

/// Random places, no two closer than `apart`.
inline std::vector<Vector> places(std::size_t count, const SpaceBox& box, double apart, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Vector> chosen;
  while (chosen.size() < count) {
    Vector p;
    for (std::size_t a = 0; a < 3; ++a) p[a] = std::uniform_real_distribution(box.lo[a], box.hi[a])(random);
    bool is_free = true;
    for (const Vector& q : chosen) {
      const double dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
      is_free = is_free && dx * dx + dy * dy + dz * dz > apart * apart;
    }
    if (is_free) chosen.push_back(p);
  }
  return chosen;
}

}  // namespace halyard::md
