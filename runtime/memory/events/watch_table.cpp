// See watch_table.hpp.
#include "memory/events/watch_table.hpp"

namespace halyard::memory {

std::optional<std::size_t> WatchTable::add(Range range) {
  const std::lock_guard lock(mutex_);
  std::size_t slot = first_free_;
  while (slot < kSlots && slots_[slot].end.load(std::memory_order_relaxed) != 0) ++slot;
  first_free_ = slot;
  if (slot == kSlots) return std::nullopt;
  Slot& taken = slots_[slot];
  taken.is_stale.store(false);
  taken.first.store(range.first);
  taken.end.store(range.end);
  if (slot >= num_used_.load(std::memory_order_relaxed)) num_used_.store(slot + 1);
  ++first_free_;
  return slot;
}

void WatchTable::remove(std::size_t slot) noexcept {
  const std::lock_guard lock(mutex_);
  slots_[slot].end.store(0);
  if (slot < first_free_) first_free_ = slot;
}

void WatchTable::note(Range range) noexcept {
  const std::size_t num_used = num_used_.load();
  for (std::size_t i = 0; i < num_used; ++i) {
    Slot& slot = slots_[i];
    if (slot.first.load() >= range.end || slot.end.load() <= range.first) continue;
    if (!slot.is_stale.exchange(true)) num_stale_.fetch_add(1, std::memory_order_release);
  }
}

}  // namespace halyard::memory
