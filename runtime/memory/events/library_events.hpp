// LibraryEvents: the hooks that UCX puts into the C library's functions (UCM), where Halyard is built with UCX. They
// speak before memory goes, in the thread that unmaps, inside malloc and free as well.
//
// Two twins: library_events_ucm.cpp, and library_events_absent.cpp, which has none.
#pragma once

#include <memory>

#include "memory/events/unmap_events.hpp"

namespace halyard::memory {

/// Notes until it is destroyed. UCX's own hooks stay in the process after that, as UCX leaves them.
class LibraryEvents {
 public:
  LibraryEvents() = default;
  LibraryEvents(const LibraryEvents&) = delete;
  LibraryEvents& operator=(const LibraryEvents&) = delete;
  virtual ~LibraryEvents() = default;
};

/// Null when there are no hooks, or UCX is told to set none (UCX_MEM_EVENTS=no).
std::unique_ptr<LibraryEvents> open_library_events(UnmapEvents& listener);

}  // namespace halyard::memory
