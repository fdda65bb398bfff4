// Method halyard-index: the same halo as lists of global ids, fields in Halyard's memory.
//
// Owned ids are those of the border only, the cells that some rank has as ghosts; a ghost's id is
// that of the owned cell it repeats. Ids and places are made from the boxes of the case.
#include "halo/methods/halyard/memory.hpp"
#include "halo/methods/methods.hpp"
#include "halyard/halyard.hpp"

namespace halyard::bench {
namespace {

class CellIds {
 public:
  explicit CellIds(const Geometry& geometry) : geometry_(geometry), here_(geometry.coordinates()) {}

  std::int64_t place(const Index3& cell) const {
    const Index3 m = geometry_.extents();
    return cell[0] + m[0] * (cell[1] + m[1] * cell[2]);
  }

  std::int64_t id(const Index3& cell) const {
    std::int64_t id = 0;
    for (std::size_t a = 3; a-- > 0;) {
      const std::int64_t extent = geometry_.bench_case.cells * geometry_.ranks[a];
      const std::int64_t local = cell[a] - geometry_.widths()[a];
      id = id * extent + (geometry_.bench_case.cells * here_[a] + local + extent) % extent;
    }
    return id;
  }

  /// Owned and within the width of a face that has ghosts.
  bool is_border(const Index3& cell) const {
    bool border = false;
    const Index3 w = geometry_.widths();
    for (std::size_t a = 0; a < 3; ++a)
      border = border || (w[a] > 0 && (cell[a] < 2 * w[a] || cell[a] >= geometry_.bench_case.cells));
    return border;
  }

  bool is_owned(const Index3& cell) const {
    const Index3 w = geometry_.widths();
    for (std::size_t a = 0; a < 3; ++a)
      if (cell[a] < w[a] || cell[a] >= w[a] + geometry_.bench_case.cells) return false;
    return true;
  }

 private:
  const Geometry& geometry_;
  Index3 here_;
};

void add_cell(const CellIds& ids, const Index3& cell, IndexHalo& lists) {
  const bool owned = ids.is_owned(cell);
  if (owned && !ids.is_border(cell)) return;
  (owned ? lists.owned : lists.ghosts).push_back(ids.id(cell));
  (owned ? lists.owned_at : lists.ghosts_at).push_back(ids.place(cell));
}

IndexHalo make_lists(const Geometry& geometry) {
  const CellIds ids(geometry);
  const Index3 m = geometry.extents();
  IndexHalo lists;
  for (std::int64_t z = 0; z < m[2]; ++z)
    for (std::int64_t y = 0; y < m[1]; ++y)
      for (std::int64_t x = 0; x < m[0]; ++x) add_cell(ids, {x, y, z}, lists);
  return lists;
}

std::vector<FieldView> make_views(const Geometry& geometry, const FieldSet& fields) {
  std::vector<FieldView> views;
  for (double* array : fields.arrays())
    views.push_back(FieldView::list(array, geometry.array_cells(), 1, "field" + std::to_string(views.size())));
  return views;
}

class HalyardIndex : public Method {
 public:
  explicit HalyardIndex(const MethodInputs& inputs)
      : context_(inputs.comm),
        memory_(context_, inputs.geometry),
        fields_(inputs.geometry, memory_.arrays()),
        exchange_(context_, index_halo(context_, make_lists(inputs.geometry)), make_views(inputs.geometry, fields_)) {
    use(fields_);
  }

  void exchange() override { exchange_.forward().wait().or_throw(); }
  std::string path() const override { return paths_of(exchange_.plan()); }
  std::string_view memory() const override { return "halyard"; }

 private:
  Context context_;
  HalyardMemory memory_;
  FieldSet fields_;
  HaloExchange exchange_;
};

}  // namespace

std::unique_ptr<Method> make_halyard_index(const MethodInputs& inputs) {
  return std::make_unique<HalyardIndex>(inputs);
}

}  // namespace halyard::bench
