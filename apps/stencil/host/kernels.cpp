// One team per row along x: the row is the contiguous, vectorized loop.
#include "host/kernels.hpp"

#include "model/points.hpp"

namespace halyard::stencil {
namespace {

using Policy = Kokkos::TeamPolicy<Execution>;

/// A whole row by one thread. The two fields never overlap, which the compiler must know to vectorize.
template <class Rows>
void update_row(const Rows& rows, const double* __restrict source, double* __restrict target) {
  const auto point = rows.point;
  const std::int64_t nx = rows.nx, sy = rows.sy, sz = rows.sz;
  for (std::int64_t x = 0; x < nx; ++x) target[x] = point(source + x, sy, sz);
}

template <class Point>
struct UpdateRows {
  Point point;
  const double* from;  // the region's first cell
  double* to;
  std::int64_t nx, ny;  // cells of the region
  std::int64_t sy, sz;

  void operator()(const typename Policy::member_type& member) const {
    const std::int64_t row = member.league_rank();
    const std::int64_t start = (row % ny) * sy + (row / ny) * sz;
    update_row(*this, from + start, to + start);
  }
};

std::int64_t offset_of(const Array& array, const Box& region, int radius) {
  const auto sy = static_cast<std::int64_t>(array.extent(0));
  const auto sz = sy * static_cast<std::int64_t>(array.extent(1));
  return (region.lo[0] + radius) + (region.lo[1] + radius) * sy + (region.lo[2] + radius) * sz;
}

}  // namespace

template <class Point>
void Kernel::run(const Sweep& sweep, const Box& region, const Point& point) const {
  const std::int64_t offset = offset_of(sweep.from, region, stencil_.radius);
  const auto sy = static_cast<std::int64_t>(sweep.from.extent(0));
  const auto sz = sy * static_cast<std::int64_t>(sweep.from.extent(1));
  const UpdateRows<Point> rows{
      point, sweep.from.data() + offset, sweep.to.data() + offset, region.extent(0), region.extent(1), sy, sz};
  const auto num_rows = static_cast<int>(region.extent(1) * region.extent(2));
  Kokkos::parallel_for("halyard-stencil", Policy(num_rows, 1), rows);
  Execution().fence();
}

void Kernel::apply(const Sweep& sweep, const Box& region) const {
  if (region.empty()) return;
  if (stencil_.shape == StencilShape::box) return run(sweep, region, BoxPoint(weights_));
  switch (stencil_.radius) {
    case 1:
      return run(sweep, region, StarPoint<1>(weights_));
    case 2:
      return run(sweep, region, StarPoint<2>(weights_));
    case 3:
      return run(sweep, region, StarPoint<3>(weights_));
    default:
      return run(sweep, region, StarPoint<4>(weights_));
  }
}

}  // namespace halyard::stencil
