// WatchTable: ranges and whether something happened to them. Fixed in size, so that note() can walk it from any thread
// and from inside malloc: it takes no lock, allocates nothing and calls nothing.
//
// A slot that is given away while note() looks at it may be marked stale for its predecessor's sake. That costs a
// registration; the other error, a missed mark, cannot happen: a slot is complete before its range is registered.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "memory/range.hpp"

namespace halyard::memory {

class WatchTable {
 public:
  static constexpr std::size_t kSlots = 4096;

  /// Nothing when the table is full.
  std::optional<std::size_t> add(Range range);
  void remove(std::size_t slot) noexcept;
  bool is_stale(std::size_t slot) const { return slots_[slot].is_stale.load(std::memory_order_acquire); }

  void note(Range range) noexcept;
  std::uint64_t num_stale() const { return num_stale_.load(std::memory_order_acquire); }

 private:
  struct Slot {
    std::atomic<std::uintptr_t> first{0};
    std::atomic<std::uintptr_t> end{0};  // 0: not in use
    std::atomic<bool> is_stale{false};
  };

  std::mutex mutex_;                      // add and remove
  std::atomic<std::size_t> num_used_{0};  // slots from here on were never used
  std::size_t first_free_ = 0;            // no free slot lies before
  std::atomic<std::uint64_t> num_stale_{0};
  std::array<Slot, kSlots> slots_;
};

}  // namespace halyard::memory
