// Region: one registered piece of memory, as the cache keeps it. Deregistered when it is destroyed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "memory/events/unmap_events.hpp"
#include "memory/range.hpp"
#include "memory/registrar.hpp"

namespace halyard::memory {

/// Members go in reverse: first no longer registered, then no longer watched, then the pages.
struct Region {
  enum class Origin : std::uint8_t {
    host,    // the program's
    device,  // the program's, a whole allocation of the driver
    own,     // the cache's
  };

  Range range;
  Origin origin = Origin::host;
  std::uint64_t buffer_id = 0;              // of the allocation, for device memory
  std::shared_ptr<void> pages;              // own memory that the registrar did not allocate itself
  std::optional<UnmapEvents::Watch> watch;  // host memory that may be used again
  std::unique_ptr<Registration> registration;

  // Kept by the shelf.
  bool is_findable = false;
  int num_leases = 0;

  bool is_stale() const { return watch && watch->is_stale(); }
};

}  // namespace halyard::memory
