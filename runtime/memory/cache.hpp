// Cache: the registration cache. Who needs registered memory asks it for a Lease and keeps that as long as the memory
// is in use; what nobody leases any more stays registered until room is needed.
//
// Invariants:
//  1. A lease's region covers what was asked for, and is not deregistered before the lease ends.
//  2. A region is given to a second lease only if the memory below is what was registered: device and managed memory by
//     the driver's buffer id, asked each time; host memory by a watch (unmap_events.hpp) that is not stale. Host memory
//     that cannot be watched is registered for each lease anew.
//  3. Of the regions that can be found, none contains another; so of those that begin at or before an address the last
//     one reaches farthest.
//  4. Regions are over the limits only while all of them are in use.
//
// Owned by the backend that owns the registrar; leases must not outlive it. For set-up: any thread, one at a time (a
// lock is held while memory is registered). See docs/adr/0012.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "device/device.hpp"
#include "memory/range.hpp"
#include "memory/registrar.hpp"
#include "memory/unmap_events.hpp"

namespace halyard::memory {

class Cache;

struct CacheLimits {
  std::size_t regions = 1024;  // registered at once
  std::size_t bytes = 0;       // registered at once; 0: what the system allows
};

/// Since the cache was made, but for the last four, which are as of now.
struct CacheCounters {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t stale = 0;    // regions given up because their memory had gone
  std::uint64_t evicted = 0;  // regions given up to make room
  std::uint64_t registering_ns = 0;
  std::uint64_t regions = 0;
  std::uint64_t idle_regions = 0;
  std::uint64_t bytes = 0;
  std::uint64_t idle_bytes = 0;
};

/// One registered piece of memory. Members go in reverse: deregistered first, then no longer watched.
struct Region {
  enum class Origin : std::uint8_t { host, device, own };

  Range range;
  Origin origin = Origin::host;
  std::uint64_t buffer_id = 0;              // device and managed memory
  std::shared_ptr<void> pages;              // own memory that the registrar did not allocate itself
  std::optional<UnmapEvents::Watch> watch;  // host memory that may be used again
  std::unique_ptr<Registration> registration;
  bool is_findable = false;  // acquire() may share it
  int num_leases = 0;

  bool is_stale() const { return watch && watch->is_stale(); }
};

/// The right to use a region. Empty when default-made or moved from.
class Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept;
  Lease& operator=(Lease&& other) noexcept;
  ~Lease();

  explicit operator bool() const { return cache_ != nullptr; }
  /// What the registrar made, as its own type: lease.as<VerbsRegistration>().
  template <class Kind>
  Kind& as() const {
    return static_cast<Kind&>(*region_->registration);
  }
  /// The whole region, not only what was asked for.
  std::byte* base() const { return region_->range.data(); }
  std::size_t bytes() const { return region_->range.bytes(); }

 private:
  friend class Cache;
  Lease(Cache& cache, std::list<Region>::iterator region) : cache_(&cache), region_(region) {}

  Cache* cache_ = nullptr;
  std::list<Region>::iterator region_;
};

class Cache {
 public:
  /// `device`: the GPU driver, null where there is none. `events`: null for those of the process.
  Cache(Registrar& registrar, CacheLimits limits, const device::Device* device = nullptr,
        std::shared_ptr<UnmapEvents> events = nullptr);
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;
  ~Cache();

  /// A region around [data, data + bytes), at least one byte. `kind` is what the driver just said of the memory; the
  /// other form asks the driver itself, each time. Throws Error: out_of_resources when nothing is left to evict,
  /// not_supported or invalid_argument when the registrar refuses this memory.
  Lease acquire(const void* data, std::size_t bytes, MemoryKind kind);
  Lease acquire(const void* data, std::size_t bytes);

  /// Memory of the registrar's own, for message buffers: at least `bytes`, zeroed, aligned to a page. Used again for
  /// the next caller when the lease ends.
  Lease allocate(std::size_t bytes);

  CacheCounters counters() const;
  const Registrar& registrar() const { return registrar_; }

 private:
  friend class Lease;
  using Regions = std::list<Region>;
  /// What acquire() looks for: the range to register, and what identifies its memory.
  struct Wanted {
    Range range;
    std::uint64_t buffer_id = 0;
    MemoryKind kind = MemoryKind::host;
  };

  Wanted wanted(const void* data, std::size_t bytes, MemoryKind kind) const;
  Lease lease(Regions::iterator region);
  void release(Regions::iterator region) noexcept;

  Regions::iterator find(const Wanted& wanted);
  Regions::iterator add(const Wanted& wanted);
  Regions::iterator keep(Region region);

  Registrar& registrar_;
  const CacheLimits limits_;
  const device::Device* device_;
  std::shared_ptr<UnmapEvents> events_;
  mutable std::mutex mutex_;
  Regions idle_;                                          // least recently used first
  Regions in_use_;                                        // in no order
  std::map<std::uintptr_t, Regions::iterator> findable_;  // by where they begin
  CacheCounters counters_;
  std::uint64_t num_stale_seen_ = 0;
};

}  // namespace halyard::memory
