// Shelf: the regions of a cache, in use and idle, and the order in which idle ones are given up. Knows nothing of how
// memory is registered or told apart. Owned by a Cache, under its lock.
//
// Invariants:
//  1. A region with a lease is never destroyed.
//  2. Of the findable regions none contains another; so of those that begin at or before an address the last one
//     reaches farthest.
//  3. There is more than the limits allow only while all of it is in use.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <vector>

#include "memory/limits.hpp"
#include "memory/range.hpp"
#include "memory/region.hpp"

namespace halyard::memory {

/// Events since the cache was made, and what is there now.
struct CacheCounters {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t stale = 0;    // regions given up because their memory had gone
  std::uint64_t evicted = 0;  // regions given up to make room
  std::uint64_t retried = 0;  // registrations tried again after an eviction
  std::uint64_t registering_ns = 0;
  std::uint64_t regions = 0;  // now
  std::uint64_t idle_regions = 0;
  std::uint64_t bytes = 0;
  std::uint64_t idle_bytes = 0;

  CacheCounters& operator+=(const CacheCounters& other) {
    hits += other.hits;
    misses += other.misses;
    stale += other.stale;
    evicted += other.evicted;
    retried += other.retried;
    registering_ns += other.registering_ns;
    regions += other.regions;
    idle_regions += other.idle_regions;
    bytes += other.bytes;
    idle_bytes += other.idle_bytes;
    return *this;
  }
};

class Shelf {
 public:
  using Place = std::list<Region>::iterator;

  explicit Shelf(CacheLimits limits) : limits_(limits) {}

  /// With one lease. Host memory is findable when it is watched, device memory always, own memory never. Findable ones
  /// inside the new region's range must be dropped before.
  Place add(Region region);
  void take(Place place);
  /// Ends a lease. With the last one the region becomes idle, or goes when it may not be used again.
  void give_back(Place place);

  /// The findable region that covers all of `range`.
  std::optional<Place> around(Range range);
  /// Findable regions that have a byte in `range`, in order.
  std::vector<Place> overlapping(Range range);
  /// An idle region of own memory of at least `bytes`, and not so large that it would be a waste.
  std::optional<Place> idle_own(std::size_t bytes);

  bool is_idle(Place place) const { return place->num_leases == 0; }
  /// Nobody finds it any more, and it goes when the last lease ends: now, if it is idle.
  void drop(Place place);
  /// Drops what could be shared and whose memory has gone, and counts it.
  void drop_stale(const std::function<bool(const Region&)>& has_gone);

  /// Evicts until one more region of `bytes` is within the limits, or nothing idle is left.
  void make_room(std::size_t bytes);
  /// False when nothing is idle.
  bool evict_one();
  /// The same for own memory, of which there is never more than was in use at once, so that buffers of many sizes, each
  /// used for a while, do not add up.
  void make_room_for_own(std::size_t bytes);

  CacheCounters& counters() { return counters_; }
  const CacheCounters& counters() const { return counters_; }
  const CacheLimits& limits() const { return limits_; }

 private:
  bool exceeds(std::size_t regions, std::size_t bytes) const;
  void hide(Place place);
  void erase_idle(Place place);
  void count_own(Place place);

  const CacheLimits limits_;
  CacheCounters counters_;
  std::list<Region> idle_;                    // least recently used first
  std::list<Region> in_use_;                  // in no order
  std::map<std::uintptr_t, Place> findable_;  // by where they begin
  std::size_t own_bytes_ = 0;                 // of own memory, idle or in use
  std::size_t own_in_use_ = 0;
  std::size_t own_in_use_at_most_ = 0;  // so far
};

}  // namespace halyard::memory
