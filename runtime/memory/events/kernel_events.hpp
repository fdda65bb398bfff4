// KernelEvents: the kernel says that memory is unmapped, moved or dropped (userfaultfd's non-cooperative events), by
// whatever instruction that came about. No page fault ever comes this way: ranges are registered for write protection,
// and nothing is ever write-protected.
//
// A thread of its own takes the events. The kernel holds the unmapping thread until that is done, so the thread must
// never wait for a lock or allocate: it notes and goes on. begin() and end() are called by one thread at a time.
#pragma once

#include <atomic>
#include <thread>

#include "base/file_descriptor.hpp"
#include "memory/events/unmap_events.hpp"

namespace halyard::memory {

class KernelEvents {
 public:
  /// `is_hearing` is true whenever an event is taken and not noted. Throws Error(not_supported).
  KernelEvents(UnmapEvents& listener, std::atomic<bool>& is_hearing);
  KernelEvents(const KernelEvents&) = delete;
  KernelEvents& operator=(const KernelEvents&) = delete;
  ~KernelEvents();

  /// False for memory of which the kernel does not tell (files; huge pages that the range cuts; watched by others).
  bool begin(Range range);
  void end(Range range) noexcept;

 private:
  void listen() noexcept;
  void take_event() noexcept;

  UnmapEvents& listener_;
  std::atomic<bool>& is_hearing_;
  base::FileDescriptor faults_;
  base::FileDescriptor end_;  // readable: the thread shall end
  std::thread thread_;
};

}  // namespace halyard::memory
