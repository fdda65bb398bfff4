// Cache: how a miss becomes a region, see cache.hpp.
#include <fmt/format.h>
#include <sys/mman.h>

#include <chrono>
#include <string>
#include <utility>

#include "halyard/status.hpp"
#include "memory/cache.hpp"
#include "memory/locked_memory.hpp"

namespace halyard::memory {
namespace {

/// Adds to a number of nanoseconds what passes until it is destroyed.
class Stopwatch {
 public:
  explicit Stopwatch(std::uint64_t& sum_ns) : sum_ns_(sum_ns) {}
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() { sum_ns_ += static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - start_).count()); }

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t& sum_ns_;
  Clock::time_point start_ = Clock::now();
};

std::string remedy_for(const RegistrationError& error, const CacheCounters& now) {
  if (!error.is_shortage()) return "all of it must be mapped and writable; else use another path (HALYARD_PATH)";
  return fmt::format("nothing idle is left to give back ({} bytes in {} regions are in use); {}", now.bytes,
                     now.regions, locked_memory_text());
}

/// Zeroed pages, unmapped with the last owner.
std::shared_ptr<void> own_pages(std::size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    throw Error(
        StatusCode::out_of_resources,
        fmt::format("allocate {} bytes of message buffers: mmap: out of memory; use fewer ranks per node", bytes));
  return {pages, [bytes](void* memory) { munmap(memory, bytes); }};
}

}  // namespace

Shelf::Place Cache::admit(const Wanted& wanted) {
  drop_freed_allocations();
  for (const Shelf::Place place : shelf_.overlapping(wanted.range)) {
    if (wanted.is_same_memory(*place)) continue;
    shelf_.drop(place);
    ++shelf_.counters().stale;
  }
  const Range range = with_idle_neighbors(wanted);
  Region region = made(wanted, range);
  // What the new region contains is not needed any more; leases of it go on.
  for (const Shelf::Place place : shelf_.overlapping(region.range))
    if (region.range.contains(place->range)) shelf_.drop(place);
  return shelf_.add(std::move(region));
}

/// GPU memory stays with the process while it is registered, also when the program has freed it (dma-buf).
void Cache::drop_freed_allocations() {
  shelf_.drop_stale([this](const Region& region) {
    if (region.origin != Region::Origin::device || region.num_leases > 0) return false;
    try {
      return device_->facts_of(region.range.data()).buffer_id != region.buffer_id;
    } catch (const Error&) {
      return true;  // the driver knows of no such memory, or has shut down
    }
  });
}

/// Idle regions that overlap what is wanted are given up for one that covers both, so that uses of one piece of memory
/// come to share a region. Those in use are left alone: they cannot be given up, and would be registered twice.
Range Cache::with_idle_neighbors(const Wanted& wanted) {
  Range range = wanted.range;
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const Shelf::Place place : shelf_.overlapping(range)) {
      const Range joined = range.joined(place->range);
      const std::size_t limit = shelf_.limits().bytes;
      if (!shelf_.is_idle(place) || (limit != 0 && joined.bytes() > limit)) continue;
      shelf_.drop(place);
      has_grown = has_grown || joined != range;
      range = joined;
    }
  }
  return range;
}

/// Registers `range`, or where that is refused only what is wanted: a neighbor may have become unfit since.
Region Cache::made(const Wanted& wanted, Range range) {
  const std::string what = fmt::format("{} memory", device::name_of(wanted.kind));
  for (;; range = wanted.range) {
    const bool is_last = range == wanted.range;
    Region region;
    region.range = range;
    region.origin = wanted.origin();
    region.buffer_id = wanted.buffer_id;
    // Watched before it is registered, so that no moment is missed.
    if (region.origin == Region::Origin::host) region.watch = events_->watch(range);
    if (region.origin == Region::Origin::host && !region.watch && !is_last) continue;
    try {
      region.registration = registered(
          range.bytes(), what, [&] { return registrar_.register_range(range.data(), range.bytes(), wanted.kind); });
      return region;
    } catch (const Error&) {
      if (is_last) throw;
    }
  }
}

Region Cache::made_own(std::size_t bytes) {
  Region region;
  region.origin = Region::Origin::own;
  shelf_.make_room_for_own(bytes);
  region.registration = registered(bytes, "message buffers", [&] {
    auto made = registrar_.allocate(bytes);
    if (made != nullptr) return made;
    region.pages = own_pages(bytes);
    return registrar_.register_range(static_cast<std::byte*>(region.pages.get()), bytes, MemoryKind::host);
  });
  region.range = Range::of(region.registration->base(), region.registration->bytes());
  return region;
}

template <class Step>
std::unique_ptr<Registration> Cache::registered(std::size_t bytes, std::string_view what, const Step& step) {
  shelf_.make_room(bytes);
  for (;;) {
    const Stopwatch watch(shelf_.counters().registering_ns);
    try {
      return step();
    } catch (const RegistrationError& error) {
      if (error.is_shortage() && shelf_.evict_one()) {
        ++shelf_.counters().retried;
        continue;
      }
      throw Error(error.code(), fmt::format("register {} bytes of {} with {}: {}; {}", bytes, what, registrar_.name(),
                                            error.status().text(), remedy_for(error, shelf_.counters())));
    }
  }
}

}  // namespace halyard::memory
