// See runs.hpp.
#include "pack/device/runs.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace halyard::pack::device {
namespace {

constexpr std::int64_t kShortestBulkRow = 512;

struct Axis {
  std::int64_t count;
  std::int64_t source;
  std::int64_t target;
};

// A section as rows on axes, fastest of the message first.
struct Rows {
  std::int64_t bytes = 0;
  std::vector<Axis> axes;
};

Rows rows_of(const Section& s, const Place3& source, const Place3& target) {
  Rows rows{s.element_bytes(), {}};
  const Index3 extents = s.piece->here.cells.extents();
  for (const auto axis : s.field->order)
    if (extents[axis] != 1) rows.axes.push_back({extents[axis], source.stride[axis], target.stride[axis]});
  auto& axes = rows.axes;
  while (!axes.empty() && axes[0].source == rows.bytes && axes[0].target == rows.bytes) {
    rows.bytes *= axes[0].count;
    axes.erase(axes.begin());
  }
  for (std::size_t i = 0; i + 1 < axes.size();) {
    if (axes[i + 1].source != axes[i].source * axes[i].count || axes[i + 1].target != axes[i].target * axes[i].count) {
      ++i;
      continue;
    }
    axes[i].count *= axes[i + 1].count;
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
  return rows;
}

// The widest unit that divides everything given.
std::int64_t unit_of(std::uint64_t all_or_ed, std::int64_t limit) {
  const int zeros = all_or_ed == 0 ? 4 : std::countr_zero(all_or_ed);
  return std::min<std::int64_t>(limit, std::int64_t{1} << std::min(zeros, 4));
}

std::uint64_t bits(std::int64_t v) { return static_cast<std::uint64_t>(v); }

std::uint64_t alignment_bits(const Rows& rows, const Place3& source, const Place3& target) {
  std::uint64_t all = bits(rows.bytes) | source.address | target.address | source.slot_bytes | target.slot_bytes;
  for (const Axis& axis : rows.axes) all |= bits(axis.source) | bits(axis.target);
  return all;
}

Run run_between(const Section& s, const Place3& source, const Place3& target, std::int64_t unit) {
  Run run;
  run.source = source.address;
  run.target = target.address;
  run.source_slot = source.slot_bytes;
  run.target_slot = target.slot_bytes;
  run.unit_bytes = static_cast<std::uint32_t>(unit);
  run.scalar = s.field->element.scalar;
  return run;
}

void set_axes(Run& run, const Rows& rows) {
  run.row = Divisor::of(static_cast<std::uint32_t>(rows.bytes / run.unit_bytes));
  for (std::size_t a = 0; a < 3 && a < rows.axes.size(); ++a) {
    if (a < 2) run.counts[a] = Divisor::of(static_cast<std::uint32_t>(rows.axes[a].count));
    run.source_stride[a] = rows.axes[a].source;
    run.target_stride[a] = rows.axes[a].target;
  }
  if (rows.axes.empty()) return;
  run.shape = RunShape::strided;
}

Part part_of(const Run& run, std::int64_t first_cell, std::int64_t num_cells, std::int64_t element_bytes) {
  Part part{run, first_cell, num_cells, element_bytes * 16 / run.unit_bytes};
  part.run.num_units = static_cast<std::uint32_t>(num_cells * element_bytes / run.unit_bytes);
  return part;
}

// Cuts a box of too many units along the message's slowest axis that has more than one cell.
std::vector<Part> box_parts(const Section& s, Place3 source, Place3 target, std::int64_t unit_limit) {
  const Rows rows = rows_of(s, source, target);
  const std::int64_t unit = unit_of(alignment_bits(rows, source, target), unit_limit);
  const std::int64_t units = s.piece->num_cells * s.element_bytes() / unit;
  if (units <= kMaxUnitsPerRun && rows.bytes / unit <= kMaxUnitsPerRun) {
    Run run = run_between(s, source, target, unit);
    set_axes(run, rows);
    return {part_of(run, 0, s.piece->num_cells, s.element_bytes())};
  }
  std::size_t slowest = s.field->order[2];
  for (const auto axis : s.field->order)
    if (s.piece->here.cells.extent(axis) > 1) slowest = axis;
  std::vector<Part> parts;
  const Box& cells = s.piece->here.cells;
  const std::int64_t middle = cells.lo[slowest] + cells.extent(slowest) / 2;
  std::int64_t first_cell = 0;
  for (const auto& [lo, hi] : {std::pair(cells.lo[slowest], middle), std::pair(middle, cells.hi[slowest])}) {
    Piece half = *s.piece;
    half.here.cells.lo[slowest] = lo;
    half.here.cells.hi[slowest] = hi;
    half.num_cells = half.here.cells.num_cells();
    Section section = s;
    section.piece = &half;
    const std::int64_t steps = lo - cells.lo[slowest];
    Place3 from = source;
    Place3 to = target;
    from.address += bits(steps * source.stride[slowest]);
    to.address += bits(steps * target.stride[slowest]);
    for (Part part : box_parts(section, from, to, unit_limit)) {
      part.first_cell += first_cell;
      parts.push_back(part);
    }
    first_cell += half.num_cells;
  }
  return parts;
}

const std::int64_t* appended(const Place3& end, std::int64_t first, std::int64_t count,
                             std::vector<std::int64_t>& offsets) {
  if (end.elements == nullptr) return nullptr;
  const auto position = offsets.size();
  for (std::int64_t i = first; i < first + count; ++i)
    offsets.push_back((*end.elements)[static_cast<std::size_t>(i)] * end.stride[0]);
  return reinterpret_cast<const std::int64_t*>(position + 1);
}

std::vector<Part> list_parts(const Section& s, const Place3& source, const Place3& target, std::int64_t unit_limit,
                             std::vector<std::int64_t>& offsets) {
  const std::int64_t bytes = s.element_bytes();
  const std::uint64_t all = bits(bytes) | source.address | target.address | source.slot_bytes | target.slot_bytes |
                            bits(source.stride[0]) | bits(target.stride[0]);
  const std::int64_t unit = unit_of(all, unit_limit);
  const std::int64_t most = kMaxUnitsPerRun / (bytes / unit) / 16 * 16;
  std::vector<Part> parts;
  for (std::int64_t first = 0; first < s.piece->num_cells; first += most) {
    const std::int64_t count = std::min(most, s.piece->num_cells - first);
    Run run = run_between(s, source, target, unit);
    run.shape = RunShape::listed;
    run.row = Divisor::of(static_cast<std::uint32_t>(bytes / unit));
    run.counts[0] = Divisor::of(kMaxUnitsPerRun);
    run.source_offsets = appended(source, first, count, offsets);
    run.target_offsets = appended(target, first, count, offsets);
    if (run.source_offsets == nullptr) {
      run.source += bits(first * source.stride[0]);
      run.source_stride[0] = source.stride[0];
    }
    if (run.target_offsets == nullptr) {
      run.target += bits(first * target.stride[0]);
      run.target_stride[0] = target.stride[0];
    }
    parts.push_back(part_of(run, first, count, bytes));
  }
  return parts;
}

}  // namespace

std::vector<Section> sections_of(std::span<const Piece> pieces, std::span<const FieldShape> fields,
                                 const MessageLayout& layout) {
  std::vector<Section> sections;
  for (std::size_t f = 0; f < fields.size(); ++f)
    for (std::size_t p = 0; p < pieces.size(); ++p)
      sections.push_back({&pieces[p], &fields[f], f, layout.offsets[f * pieces.size() + p], f * pieces.size() + p});
  return sections;
}

Place3 in_field(const Section& s, std::span<const Grid> grids, std::size_t num_patches, Side side) {
  const PieceEnd& end = side == Side::here ? s.piece->here : s.piece->there;
  const Grid& grid = grids[s.field_number * num_patches + static_cast<std::size_t>(end.patch)];
  Place3 place{grid.first_owned, 0, grid.stride_bytes, nullptr};
  if (!end.elements.empty()) {
    place.elements = &end.elements;
    return place;
  }
  for (std::size_t a = 0; a < 3; ++a) place.address += bits(end.cells.lo[a] * grid.stride_bytes[a]);
  return place;
}

Place3 in_message(const Section& s, std::uint64_t address, std::uint64_t slot_bytes) {
  Place3 place{address + bits(s.message_offset), slot_bytes, {}, nullptr};
  std::int64_t step = s.element_bytes();
  if (!s.piece->here.elements.empty()) {
    place.stride[0] = step;
    return place;
  }
  for (const auto axis : s.field->order) {
    place.stride[axis] = step;
    step *= s.piece->here.cells.extent(axis);
  }
  return place;
}

std::vector<Part> parts_of(const Section& s, const Place3& source, const Place3& target, std::int64_t unit_limit,
                           std::vector<std::int64_t>& offsets) {
  if (!s.piece->here.elements.empty()) return list_parts(s, source, target, unit_limit, offsets);
  return box_parts(s, source, target, unit_limit);
}

namespace {

// Cells of a row before its first 16-byte unit, and in whole units, where both ends agree on them.
struct Trim {
  std::int64_t head = 0;
  std::int64_t body = 0;
};

Trim trim_of(const Section& s, const Place3& source, const Place3& target) {
  constexpr std::int64_t kUnit = 16;
  const std::int64_t bytes = s.element_bytes();
  const auto axis = s.field->order[0];
  const std::int64_t cells = s.piece->here.cells.extent(axis);
  std::uint64_t others = 0;
  for (std::size_t a = 0; a < 3; ++a)
    if (a != axis && s.piece->here.cells.extent(a) != 1) others |= bits(source.stride[a]) | bits(target.stride[a]);
  const std::int64_t before = (kUnit - static_cast<std::int64_t>(source.address % kUnit)) % kUnit;
  if (source.stride[axis] != bytes || target.stride[axis] != bytes || others % kUnit != 0 || before % bytes != 0 ||
      (source.address - target.address) % kUnit != 0)
    return {};
  const std::int64_t step = kUnit / std::gcd(kUnit, bytes);
  const std::int64_t head = before / bytes;
  return {head, std::max<std::int64_t>(cells - head, 0) / step * step};
}

Section part_along(const Section& s, std::int64_t first, std::int64_t count, std::deque<Piece>& pieces) {
  const auto axis = s.field->order[0];
  Piece& piece = pieces.emplace_back(*s.piece);
  for (PieceEnd* end : {&piece.here, &piece.there}) {
    end->cells.lo[axis] += first;
    end->cells.hi[axis] = end->cells.lo[axis] + count;
  }
  piece.num_cells = piece.here.cells.num_cells();
  Section part = s;
  part.piece = &piece;
  part.message_offset += first * (s.piece->num_cells / s.piece->here.cells.extent(axis)) * s.element_bytes();
  return part;
}

}  // namespace

std::vector<Section> trimmed(const Section& s, const Place3& source, const Place3& target, std::deque<Piece>& pieces) {
  if (!s.piece->here.elements.empty() || suits_bulk(s, source, target)) return {s};
  const Trim trim = trim_of(s, source, target);
  if (trim.body * s.element_bytes() < kShortestBulkRow) return {s};
  const std::int64_t cells = s.piece->here.cells.extent(s.field->order[0]);
  std::vector<Section> parts;
  const std::pair<std::int64_t, std::int64_t> cuts[] = {
      {0, trim.head}, {trim.head, trim.body}, {trim.head + trim.body, cells - trim.head - trim.body}};
  for (const auto& [first, count] : cuts)
    if (count > 0) parts.push_back(part_along(s, first, count, pieces));
  return parts;
}

bool suits_bulk(const Section& s, const Place3& source, const Place3& target) {
  if (!s.piece->here.elements.empty()) return false;
  const Rows rows = rows_of(s, source, target);
  return rows.bytes >= kShortestBulkRow && alignment_bits(rows, source, target) % 16 == 0;
}

}  // namespace halyard::pack::device
