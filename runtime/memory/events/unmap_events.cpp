// See unmap_events.hpp.
#include "memory/events/unmap_events.hpp"

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "memory/events/host_events.hpp"

namespace halyard::memory {
namespace {

std::mutex process_mutex;
std::weak_ptr<UnmapEvents> process_events;

}  // namespace

std::shared_ptr<UnmapEvents> UnmapEvents::of_process() {
  const std::lock_guard lock(process_mutex);
  auto events = process_events.lock();
  if (events == nullptr) process_events = events = std::make_shared<HostEvents>();
  return events;
}

std::optional<UnmapEvents::Watch> UnmapEvents::watch(Range range) {
  const auto slot = table_.add(range);
  if (!slot) return std::nullopt;
  if (begin(range)) return Watch(*this, range, *slot);
  table_.remove(*slot);
  return std::nullopt;
}

void UnmapEvents::settle() const {
  while (is_hearing_.load(std::memory_order_acquire)) std::this_thread::yield();
}

UnmapEvents::Watch::Watch(Watch&& other) noexcept
    : events_(std::exchange(other.events_, nullptr)), range_(other.range_), slot_(other.slot_) {}

UnmapEvents::Watch& UnmapEvents::Watch::operator=(Watch&& other) noexcept {
  std::swap(events_, other.events_);
  std::swap(range_, other.range_);
  std::swap(slot_, other.slot_);
  return *this;
}

UnmapEvents::Watch::~Watch() {
  if (events_ == nullptr) return;
  events_->end(range_);
  events_->table_.remove(slot_);
}

bool UnmapEvents::Watch::is_stale() const { return events_->table_.is_stale(slot_); }

void note_unmapped(const void* data, std::size_t bytes) {
  std::shared_ptr<UnmapEvents> events;
  {
    const std::lock_guard lock(process_mutex);
    events = process_events.lock();
  }
  if (events != nullptr) events->note(Range::of(data, bytes));
}

}  // namespace halyard::memory
