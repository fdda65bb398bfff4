// Cache: the registration cache. Who needs registered memory asks it for a Lease and keeps that as long as the memory
// is in use; what nobody leases any more stays registered until room is needed.
//
// A region is shared, at once or later, only if the memory below is what was registered: device and managed memory by
// the driver's buffer id, asked each time; host memory by a watch (events/unmap_events.hpp) that is not stale. Host
// memory that cannot be watched is registered for each lease anew. docs/adr/0012 says why.
//
// Owned by the backend that owns the registrar; leases must not outlive it. For set-up: any thread, one at a time (the
// lock is held while memory is registered).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "device/device.hpp"
#include "memory/events/unmap_events.hpp"
#include "memory/range.hpp"
#include "memory/registrar.hpp"
#include "memory/shelf.hpp"

namespace halyard::memory {

class Cache;

/// The right to use registered memory. Empty when default-made or moved from.
class Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept : cache_(std::exchange(other.cache_, nullptr)), place_(other.place_) {}
  Lease& operator=(Lease&& other) noexcept {
    std::swap(cache_, other.cache_);
    std::swap(place_, other.place_);
    return *this;
  }
  ~Lease();

  explicit operator bool() const { return cache_ != nullptr; }
  /// The whole region, not only what was asked for.
  std::byte* base() const { return place_->range.data(); }
  std::size_t bytes() const { return place_->range.bytes(); }
  /// What the registrar made, as its own type: lease.as<VerbsRegistration>().
  template <class Kind>
  Kind& as() const {
    return static_cast<Kind&>(*place_->registration);
  }

 private:
  friend class Cache;
  Lease(Cache& cache, Shelf::Place place) : cache_(&cache), place_(place) {}

  Cache* cache_ = nullptr;
  Shelf::Place place_;
};

class Cache {
 public:
  /// `device`: the GPU driver, null where there is none. `events`: null for those of the process.
  Cache(Registrar& registrar, CacheLimits limits, const device::Device* device = nullptr,
        std::shared_ptr<UnmapEvents> events = nullptr);
  Cache(const Cache&) = delete;
  Cache& operator=(const Cache&) = delete;

  /// A region around [data, data + bytes), at least one byte. `kind` is what the driver just said of this memory; the
  /// other form asks the driver. Throws Error: out_of_resources when there is nothing left to evict, not_supported when
  /// the registrar refuses this memory, invalid_argument when there is no such memory.
  Lease acquire(const void* data, std::size_t bytes, MemoryKind kind);
  Lease acquire(const void* data, std::size_t bytes);

  /// Host memory of the cache's own, for message buffers: at least `bytes`, zeroed, aligned to a page. Serves the next
  /// caller when the lease ends.
  Lease allocate(std::size_t bytes);

  CacheCounters counters() const;

 private:
  friend class Lease;
  /// What identifies memory, and as what to register it.
  struct Wanted {
    Range range;
    MemoryKind kind = MemoryKind::host;
    std::uint64_t buffer_id = 0;

    Region::Origin origin() const;
    bool is_same_memory(const Region& region) const;
  };

  void end(Shelf::Place place) noexcept;
  void sweep();
  void drop_freed_allocations();

  Wanted wanted(const void* data, std::size_t bytes, MemoryKind kind) const;
  Wanted wanted_allocation(const void* data, std::size_t bytes, MemoryKind kind) const;
  Shelf::Place admit(const Wanted& wanted);
  Range with_idle_neighbors(const Wanted& wanted);
  Region made(const Wanted& wanted, Range range);
  Region made_own(std::size_t bytes);
  template <class Step>
  std::unique_ptr<Registration> registered(std::size_t bytes, std::string_view what, const Step& step);

  Registrar& registrar_;
  const device::Device* device_;
  const std::shared_ptr<UnmapEvents> events_;
  const std::size_t page_bytes_;
  mutable std::mutex mutex_;
  Shelf shelf_;
  std::uint64_t num_stale_seen_ = 0;
};

}  // namespace halyard::memory
