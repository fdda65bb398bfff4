// Range: a half-open piece of the address space, [first, end). Pure data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace halyard::memory {

struct Range {
  std::uintptr_t first = 0;
  std::uintptr_t end = 0;

  static Range of(const void* data, std::size_t bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(data);
    return {first, first + bytes};
  }
  std::byte* data() const { return reinterpret_cast<std::byte*>(first); }
  std::size_t bytes() const { return end - first; }
  bool overlaps(const Range& other) const { return first < other.end && other.first < end; }
  bool contains(const Range& other) const { return first <= other.first && other.end <= end; }
  Range joined(const Range& other) const { return {std::min(first, other.first), std::max(end, other.end)}; }
  /// The smallest range of whole pages around this one.
  Range in_pages(std::size_t page) const { return {first / page * page, (end + page - 1) / page * page}; }

  friend bool operator==(const Range&, const Range&) = default;
};

}  // namespace halyard::memory
