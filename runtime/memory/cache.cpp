// Cache: who gets which region, see cache.hpp. How new ones are made is in admit.cpp.
#include "memory/cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "halyard/status.hpp"

namespace halyard::memory {
namespace {

[[noreturn]] void refuse(const void* data, std::size_t bytes, const std::string& why) {
  throw Error(StatusCode::invalid_argument, fmt::format("register {} bytes at {}: {}", bytes, fmt::ptr(data), why));
}

}  // namespace

Lease::~Lease() {
  if (cache_ != nullptr) cache_->end(place_);
}

Cache::Cache(Registrar& registrar, CacheLimits limits, const device::Device* device,
             std::shared_ptr<UnmapEvents> events)
    : registrar_(registrar),
      device_(device),
      events_(events != nullptr ? std::move(events) : UnmapEvents::of_process()),
      page_bytes_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
      shelf_(limits) {}

Region::Origin Cache::Wanted::origin() const {
  return kind == MemoryKind::device || kind == MemoryKind::managed ? Region::Origin::device : Region::Origin::host;
}

bool Cache::Wanted::is_same_memory(const Region& region) const {
  return region.origin == origin() && region.buffer_id == buffer_id && !region.is_stale();
}

Lease Cache::acquire(const void* data, std::size_t bytes) {
  return acquire(data, bytes, device_ == nullptr ? MemoryKind::host : device_->facts_of(data).kind);
}

Lease Cache::acquire(const void* data, std::size_t bytes, MemoryKind kind) {
  const Wanted wanted = this->wanted(data, bytes, kind);
  const std::lock_guard lock(mutex_);
  sweep();
  const auto known = shelf_.around(wanted.range);
  if (!known || !wanted.is_same_memory(**known)) {
    ++shelf_.counters().misses;
    return Lease(*this, admit(wanted));
  }
  ++shelf_.counters().hits;
  shelf_.take(*known);
  return Lease(*this, *known);
}

Lease Cache::allocate(std::size_t bytes) {
  if (bytes == 0 || bytes > SIZE_MAX - page_bytes_) refuse(nullptr, bytes, "ask for at least one, and for what exists");
  const std::size_t in_pages = Range{0, bytes}.in_pages(page_bytes_).bytes();
  const std::lock_guard lock(mutex_);
  sweep();
  const auto known = shelf_.idle_own(in_pages);
  if (!known) {
    ++shelf_.counters().misses;
    return Lease(*this, shelf_.add(made_own(in_pages)));
  }
  ++shelf_.counters().hits;
  shelf_.take(*known);
  std::memset((*known)->range.data(), 0, bytes);
  return Lease(*this, *known);
}

CacheCounters Cache::counters() const {
  const std::lock_guard lock(mutex_);
  return shelf_.counters();
}

void Cache::end(Shelf::Place place) noexcept {
  const std::lock_guard lock(mutex_);
  sweep();
  shelf_.give_back(place);
}

/// Host memory that has gone is let go soon, not only when somebody asks for the same address: it costs pages.
void Cache::sweep() {
  events_->settle();
  const std::uint64_t num_stale = events_->num_stale();
  if (num_stale == num_stale_seen_) return;
  num_stale_seen_ = num_stale;
  shelf_.drop_stale([](const Region& region) { return region.is_stale(); });
}

Cache::Wanted Cache::wanted(const void* data, std::size_t bytes, MemoryKind kind) const {
  if (data == nullptr || bytes == 0) refuse(data, bytes, "there must be at least one, not at null");
  const Range range = Range::of(data, bytes);
  if (range.end < range.first || range.end > UINTPTR_MAX - page_bytes_)
    refuse(data, bytes, "they end behind the last address");
  const Wanted on_host{range.in_pages(page_bytes_), kind, 0};
  return on_host.origin() == Region::Origin::host ? on_host : wanted_allocation(data, bytes, kind);
}

Cache::Wanted Cache::wanted_allocation(const void* data, std::size_t bytes, MemoryKind kind) const {
  if (device_ == nullptr) refuse(data, bytes, "they are said to be GPU memory, and this process has no GPU");
  const device::MemoryFacts facts = device_->facts_of(data);
  const Range whole{facts.base, facts.base + facts.bytes};
  if (facts.kind != kind || !whole.contains(Range::of(data, bytes)))
    refuse(data, bytes,
           fmt::format("expected {} memory inside one allocation, the driver says {} memory of {} bytes at {:#x}; pass "
                       "memory that is allocated and not freed",
                       device::name_of(kind), device::name_of(facts.kind), facts.bytes, facts.base));
  return {whole, kind, facts.buffer_id};
}

}  // namespace halyard::memory
