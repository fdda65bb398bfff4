// Program: what to copy from where to where, compiled once at bind time and run every step.
//
// Border to message, message to ghosts, owner's memory to ghosts: all three are a list of strided blocks, or, where an
// index list has no structure, of single elements; of particles they are gathers by lists that many arrays share.
// Addresses of fields are absolute; offsets into a message count from the buffer that is given when the program runs.
// Immutable once compiled; running it is data path.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "halyard/box.hpp"
#include "halyard/exchange_kinds.hpp"
#include "halyard/field.hpp"

namespace halyard::pack {

/// An address, or an offset into a message: which one is known to whoever compiles and runs the program.
using Place = std::uintptr_t;

inline Place place_of(const void* address) { return reinterpret_cast<Place>(address); }
inline Place moved(Place place, std::int64_t bytes) { return place + static_cast<Place>(bytes); }

/// count[2] x count[1] x count[0] rows of row_bytes each.
struct Block {
  Place source = 0;
  Place target = 0;
  std::int64_t row_bytes = 0;
  Index3 count{1, 1, 1};
  Index3 source_stride{0, 0, 0};
  Index3 target_stride{0, 0, 0};
  Scalar scalar = Scalar::opaque;
};

/// Elements without structure. An empty offset list means that the elements follow each other densely.
struct List {
  Place source = 0;
  Place target = 0;
  std::int64_t element_bytes = 0;
  std::int64_t num_elements = 0;
  std::vector<std::int64_t> source_offsets;
  std::vector<std::int64_t> target_offsets;
  Scalar scalar = Scalar::opaque;
};

/// Elements by number, of an array whose components lie anywhere: particles. The lists of numbers are the maker's, who
/// keeps them; null means 0, 1, 2, …
struct Gather {
  struct Strides {
    std::int64_t element = 0;    // bytes from an element to the next
    std::int64_t component = 0;  // bytes from a component to the next
  };

  Place source = 0;  // component 0 of element 0
  Place target = 0;
  Strides source_stride;
  Strides target_stride;
  const std::int32_t* source_numbers = nullptr;
  const std::int32_t* target_numbers = nullptr;
  std::int64_t num_elements = 0;
  ElementType element;
  bool has_shift = false;                // f32 or f64 of at most three components: copying adds
  std::array<double, 3> shift{0, 0, 0};  // this to each
};

struct Program {
  std::vector<Block> blocks;
  std::vector<List> lists;
  std::vector<Gather> gathers = {};
  bool prefetches = false;  // short rows are so many that they do not fit the caches

  bool empty() const { return blocks.empty() && lists.empty() && gathers.empty(); }
  std::int64_t num_bytes() const;
};

/// The same copies the other way round, without shifts.
Program reversed(Program program);

/// Data path. Copies; `source_base` and `target_base` are added to the program's places (null where these are
/// addresses).
void copy(const Program& program, const std::byte* source_base, std::byte* target_base);

/// Data path. target = target op source, element by element, in program order.
void reduce(const Program& program, Reduce op, const std::byte* source_base, std::byte* target_base);

}  // namespace halyard::pack
