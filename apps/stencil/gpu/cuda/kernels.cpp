// Interior: a thread owns kColumn cells above each other, neighbors in x belong to neighboring threads; a block covers
// a tile of a plane, so that rows above and below come from its multiprocessor's cache. All values of a column are
// computed before the first is stored: only then the compiler keeps what two cells read in registers.
// Boundary: one launch for all slabs, a thread per cell.
#include "gpu/cuda/kernels.hpp"

#include <array>

#include "model/points.hpp"

namespace halyard::stencil::gpu {
namespace {

constexpr int kColumn = 8;
constexpr int kTileX = 32;
constexpr int kTileY = 8;
constexpr std::size_t kMostSlabs = 6;
constexpr std::size_t kLargestFunctor = 400;  // from 512 bytes on Kokkos sends a functor by other, slower ways

struct Strides {
  std::int64_t y, z;

  explicit Strides(const Array& array)
      : y(static_cast<std::int64_t>(array.extent(0))), z(y * static_cast<std::int64_t>(array.extent(1))) {}
};

/// Of the first cell of `region`, which counts from the first cell of the array.
std::int64_t offset_of(const Strides& strides, const Box& region) {
  return region.lo[0] + region.lo[1] * strides.y + region.lo[2] * strides.z;
}

template <class Point>
struct UpdateColumn {
  Point point;
  const double* from;  // the region's first cell
  double* to;
  std::int64_t nz;
  Strides stride;

  KOKKOS_FUNCTION void operator()(const int x, const int y, const int column) const {
    const std::int64_t z = static_cast<std::int64_t>(column) * kColumn;
    const std::int64_t start = x + y * stride.y + z * stride.z;
    if (z + kColumn <= nz)
      update_whole(from + start, to + start);
    else
      for (std::int64_t k = 0; k < nz - z; ++k)
        to[start + k * stride.z] = point(from + start + k * stride.z, stride.y, stride.z);
  }

  KOKKOS_FORCEINLINE_FUNCTION void update_whole(const double* source, double* target) const {
    double next[kColumn];
    for (int k = 0; k < kColumn; ++k) next[k] = point(source + k * stride.z, stride.y, stride.z);
    for (int k = 0; k < kColumn; ++k) target[k * stride.z] = next[k];
  }
};

struct Slab {
  std::int64_t end = 0;     // cells of this slab and of those before it
  std::int64_t offset = 0;  // of its first cell
  int nx = 1, ny = 1;
};

template <class Point>
struct UpdateSlabs {
  Point point;
  const double* from;
  double* to;
  Strides stride;
  Slab slabs[kMostSlabs];

  KOKKOS_FUNCTION void operator()(const std::int64_t cell) const {
    int s = 0;
    std::int64_t i = cell;
    while (cell >= slabs[s].end) i = cell - slabs[s++].end;
    const Slab& slab = slabs[s];
    const std::int64_t row = i / slab.nx;
    const std::int64_t at = slab.offset + i % slab.nx + (row % slab.ny) * stride.y + (row / slab.ny) * stride.z;
    to[at] = point(from + at, stride.y, stride.z);
  }
};

template <class Point>
void launch_interior(const Kokkos::Cuda& space, const Sweep& sweep, const Box& region, const Point& point) {
  const Strides strides(sweep.from);
  const std::int64_t offset = offset_of(strides, region);
  const UpdateColumn<Point> update{point, sweep.from.data() + offset, sweep.to.data() + offset, region.extent(2),
                                   strides};
  static_assert(sizeof(update) <= kLargestFunctor);
  using Policy = Kokkos::MDRangePolicy<Kokkos::Cuda, Kokkos::IndexType<int>,
                                       Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>>;
  const auto columns = static_cast<int>((region.extent(2) + kColumn - 1) / kColumn);
  const Policy policy(space, {0, 0, 0},
                      {static_cast<int>(region.extent(0)), static_cast<int>(region.extent(1)), columns},
                      {kTileX, kTileY, 1});
  Kokkos::parallel_for("halyard-stencil interior", policy, update);
}

template <class Point>
void launch_boundary(const Kokkos::Cuda& space, const Sweep& sweep, const std::vector<Box>& regions,
                     const Point& point) {
  const Strides strides(sweep.from);
  UpdateSlabs<Point> update{point, sweep.from.data(), sweep.to.data(), strides, {}};
  static_assert(sizeof(update) <= kLargestFunctor);
  std::int64_t cells = 0;
  for (std::size_t s = 0; s < regions.size(); ++s) {
    const Box& region = regions[s];
    cells += region.num_cells();
    update.slabs[s] = {cells, offset_of(strides, region), static_cast<int>(region.extent(0)),
                       static_cast<int>(region.extent(1))};
  }
  using Policy = Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("halyard-stencil boundary", Policy(space, 0, cells), update);
}

/// The slabs of a whole interior follow each other.
Box joined(const std::vector<Box>& slabs) {
  if (slabs.empty()) return Box::of_extent({0, 0, 0});
  return {slabs.front().lo, slabs.back().hi};
}

/// From owned cells to those of the array, ghosts included.
Box in_array(Box box, int radius) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.lo[axis] += radius;
    box.hi[axis] += radius;
  }
  return box;
}

}  // namespace

Kernels::Kernels(const Stencil& stencil, const Weights& weights, const Index3& owned)
    : stencil_(stencil), weights_(weights) {
  const Regions regions = split_regions(owned, stencil.radius);
  interior_ = in_array(joined(regions.interior), stencil.radius);
  for (const Box& slab : regions.boundary) boundary_.push_back(in_array(slab, stencil.radius));
}

template <class Launch>
void Kernels::with_point(const Launch& launch) const {
  if (stencil_.shape == StencilShape::box) return launch(BoxPoint(weights_));
  switch (stencil_.radius) {
    case 1:
      return launch(StarPoint<1>(weights_));
    case 2:
      return launch(StarPoint<2>(weights_));
    case 3:
      return launch(StarPoint<3>(weights_));
    default:
      return launch(StarPoint<4>(weights_));
  }
}

void Kernels::interior(const Kokkos::Cuda& space, const Sweep& sweep) const {
  if (interior_.empty()) return;
  with_point([&](const auto& point) { launch_interior(space, sweep, interior_, point); });
}

void Kernels::boundary(const Kokkos::Cuda& space, const Sweep& sweep) const {
  if (boundary_.empty()) return;
  with_point([&](const auto& point) { launch_boundary(space, sweep, boundary_, point); });
}

}  // namespace halyard::stencil::gpu
