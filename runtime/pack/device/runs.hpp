// Runs of one piece of one field, for compile.cpp: the order of the message at both ends, as few axes as possible,
// units as wide as alignment lets them. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "pack/compile.hpp"
#include "pack/device/tables.hpp"

namespace halyard::pack::device {

/// A piece of a field with its place in the message.
struct Section {
  const Piece* piece = nullptr;
  const FieldShape* field = nullptr;
  std::size_t field_number = 0;
  std::int64_t message_offset = 0;
  std::size_t number = 0;  // in the order of the message

  std::int64_t element_bytes() const { return static_cast<std::int64_t>(field->element.bytes()); }
  std::int64_t bytes() const { return piece->num_cells * element_bytes(); }
};

/// Sections of a message in its order.
std::vector<Section> sections_of(std::span<const Piece> pieces, std::span<const FieldShape> fields,
                                 const MessageLayout& layout);

/// Where one end of a section lies.
struct Place3 {
  std::uint64_t address = 0;                            // of its first cell (lists: of element 0)
  std::uint64_t slot_bytes = 0;                         // of a landing buffer; 0 for fields
  Index3 stride{0, 0, 0};                               // by axis
  const std::vector<std::int64_t>* elements = nullptr;  // lists in fields
};

Place3 in_field(const Section& section, std::span<const Grid> grids, std::size_t num_patches, Side side);
Place3 in_message(const Section& section, std::uint64_t address, std::uint64_t slot_bytes);

/// A run and the cells of its piece that it covers, in the order of the message.
struct Part {
  Run run;
  std::int64_t first_cell = 0;
  std::int64_t num_cells = 0;
  std::int64_t units_per_cell_times_16 = 0;  // a unit may be wider than a cell
};

/// The parts of a section; more than one when it has too many units for one. Offset lists are appended to `offsets`.
/// `unit_limit` bounds the unit: 16 for copies, the scalar's size for reductions.
std::vector<Part> parts_of(const Section& section, const Place3& source, const Place3& target, std::int64_t unit_limit,
                           std::vector<std::int64_t>& offsets);

/// The section in up to three parts along its fastest axis: rows that lie alike at both ends, but not on 16 bytes, as
/// those between ghosts do, and what is left of them before and after. The section as it is where that gains nothing.
/// Parts' pieces are added to `pieces`.
std::vector<Section> trimmed(const Section& section, const Place3& source, const Place3& target,
                             std::deque<Piece>& pieces);

/// Whether bulk copies can carry this section: long rows, 16-byte aligned at both ends.
bool suits_bulk(const Section& section, const Place3& source, const Place3& target);

}  // namespace halyard::pack::device
