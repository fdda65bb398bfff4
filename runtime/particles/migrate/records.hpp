// Records: particles on their way. A batch of them is each migrating array's elements after one another, array by
// array, then, when wanted, the numbers that they had on the rank they come from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "particles/arrays.hpp"

namespace halyard::particles {

/// What a record holds.
struct RecordShape {
  const Particles& particles;
  const Roles& roles;
  bool has_origin = false;

  std::size_t bytes() const {
    return static_cast<std::size_t>(roles.record_bytes) + (has_origin ? sizeof(std::int64_t) : 0);
  }
};

/// Writes particles `numbers` as one batch. Data path.
void pack_records(const RecordShape& shape, std::span<const std::int32_t> numbers, std::byte* batch);

/// Their numbers, as a batch ends with them when that is wanted. Data path.
void pack_origins(std::span<const std::int32_t> numbers, std::byte* end_of_batch);

/// Reads a batch of `count` into the elements from `first` on; `origins`, if wanted, gets as many. Data path.
void unpack_records(const RecordShape& shape, const std::byte* batch, std::int64_t count, std::int64_t first,
                    std::int64_t* origins);

}  // namespace halyard::particles
