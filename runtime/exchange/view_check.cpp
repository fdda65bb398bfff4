// See view_check.hpp.
#include "exchange/view_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "halyard/status.hpp"

namespace halyard::exchange {
namespace {

[[noreturn]] void refuse(const FieldView& view, std::size_t patch, const std::string& why) {
  throw Error(StatusCode::invalid_argument,
              fmt::format("bind field '{}' on local patch {}: {}", view.name, patch, why));
}

// The cells of one local patch that are read or written, counted from its first owned cell.
Box cells_used(const Pattern& pattern, std::size_t patch) {
  Box used{{0, 0, 0}, pattern.patches[patch].box.extents()};
  auto include = [&](const std::vector<Piece>& pieces) {
    for (const Piece& piece : pieces) {
      if (static_cast<std::size_t>(piece.here.patch) != patch || !piece.here.elements.empty()) continue;
      for (std::size_t a = 0; a < 3; ++a) {
        used.lo[a] = std::min(used.lo[a], piece.here.cells.lo[a]);
        used.hi[a] = std::max(used.hi[a], piece.here.cells.hi[a]);
      }
    }
  };
  for (const PatternNeighbor& neighbor : pattern.neighbors) {
    include(neighbor.sends);
    include(neighbor.receives);
  }
  return used;
}

void check_room(const FieldView& view, std::size_t patch, const Box& used) {
  for (std::size_t a = 0; a < 3; ++a) {
    const std::int64_t first = view.origin[a] + used.lo[a];
    const std::int64_t last = view.origin[a] + used.hi[a];
    if (first < 0 || last > view.extent[a])
      refuse(view, patch,
             fmt::format("axis {} has {} cells with the first owned one at {}, but {} below it and {} from it on are "
                         "needed; make the array at least the owned box plus the halo width on each side",
                         a, view.extent[a], view.origin[a], -used.lo[a], used.hi[a]));
  }
}

void check_view(const Plan& plan, const FieldShape& field, const FieldView& view, std::size_t patch) {
  if (view.element != field.element)
    refuse(view, patch,
           fmt::format("its elements have {} bytes of another type than the {} bytes planned", view.element.bytes(),
                       field.element.bytes()));
  const Box used = cells_used(plan.pattern(), patch);
  if (used.empty()) return;  // nothing is read or written; the pointer may be null
  if (view.data == nullptr) refuse(view, patch, "the pointer is null; give the address of the array's first cell");
  check_room(view, patch, used);
  for (std::size_t a = 0; a < 3; ++a)
    if (view.extent[a] > 1 && view.stride_bytes[a] == 0)
      refuse(view, patch, fmt::format("the stride of axis {} is 0, so all its cells are one", a));
}

}  // namespace

void check_views(const Plan& plan, std::span<const FieldView> views) {
  const std::size_t num_patches = plan.pattern().patches.size();
  const std::size_t num_fields = plan.fields().size();
  if (views.size() != num_fields * num_patches)
    throw Error(
        StatusCode::invalid_argument,
        fmt::format("bind {} field(s) on {} local patch(es) of rank {}: {} views were given; give one per field and "
                    "patch, views[field * patches + patch]",
                    num_fields, num_patches, plan.pattern().rank, views.size()));
  for (std::size_t f = 0; f < num_fields; ++f)
    for (std::size_t p = 0; p < num_patches; ++p) check_view(plan, plan.fields()[f], views[f * num_patches + p], p);
}

std::span<std::byte> span_of(const FieldView& view) {
  auto* low = static_cast<std::byte*>(view.data);
  if (low == nullptr || Box::of_extent(view.extent).empty()) return {};
  std::size_t bytes = view.element.bytes();
  for (std::size_t a = 0; a < 3; ++a) {
    const std::int64_t reach = view.stride_bytes[a] * (view.extent[a] - 1);
    if (reach < 0) low += reach;
    bytes += static_cast<std::size_t>(std::abs(reach));
  }
  return {low, bytes};
}

}  // namespace halyard::exchange
