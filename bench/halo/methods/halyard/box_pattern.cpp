// A bench case as a box halo; see box_pattern.hpp.
#include "halo/methods/halyard/box_pattern.hpp"

namespace halyard::bench {
namespace {

Width width_of(const Geometry& geometry) { return {geometry.widths(), geometry.widths()}; }

}  // namespace

Pattern box_pattern(const Geometry& geometry) {
  const std::int64_t n = geometry.bench_case.cells;
  const Box domain = Box::of_extent({n * geometry.ranks[0], n * geometry.ranks[1], n * geometry.ranks[2]});
  const BoxHalo halo{Decomposition::grid(domain, geometry.ranks), {true, true, true}, width_of(geometry), Reach::full};
  return box_halo(halo, geometry.rank);
}

std::vector<FieldView> grid_views(const Geometry& geometry, const FieldSet& fields) {
  const std::int64_t n = geometry.bench_case.cells;
  std::vector<FieldView> views;
  for (double* array : fields.arrays())
    views.push_back(FieldView::grid(array, {n, n, n}, width_of(geometry), Storage::x_fastest,
                                    "field" + std::to_string(views.size())));
  return views;
}

}  // namespace halyard::bench
