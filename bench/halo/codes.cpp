// What each coordinate adds to a cell's code; see codes.hpp.
#include "halo/codes.hpp"

namespace halyard::bench {
namespace {

/// Global coordinate of each array coordinate of an axis, times `step`.
std::vector<std::int64_t> axis_codes(const Geometry& geometry, std::size_t axis, GhostSource source) {
  const std::int64_t n = geometry.bench_case.cells;
  const std::int64_t w = geometry.widths()[axis];
  const std::int64_t first = n * geometry.coordinates()[axis];
  const std::int64_t global_extent = n * geometry.ranks[axis];
  std::int64_t step = 1;
  for (std::size_t a = 0; a < axis; ++a) step *= n * geometry.ranks[a];
  std::vector<std::int64_t> codes;
  for (std::int64_t i = -w; i < n + w; ++i) {
    const std::int64_t global =
        source == GhostSource::own ? first + (i + n) % n : (first + i + global_extent) % global_extent;
    codes.push_back(step * global);
  }
  return codes;
}

}  // namespace

Codes::Codes(const Geometry& geometry, int epoch, GhostSource source) {
  for (std::size_t axis = 0; axis < 3; ++axis) axes_[axis] = axis_codes(geometry, axis, source);
  const std::int64_t n = geometry.bench_case.cells;
  per_field_ = static_cast<double>(n * n * n * geometry.ranks[0] * geometry.ranks[1] * geometry.ranks[2]);
  first_ = per_field_ * epoch * geometry.bench_case.fields;
}

}  // namespace halyard::bench
