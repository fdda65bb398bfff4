// UnmapEvents: who says that host memory has gone, so that what was known of it (a registration) is not used again for
// other memory at the same address.
//
// A Watch is set on a range before it is registered and is stale from the moment in which part of the range is
// unmapped, remapped or dropped. Sources call note() from any thread, also inside malloc and free: it takes no lock,
// allocates nothing and calls nothing. Watching is set-up; thread-safe.
//
// of_process() is the real one (host_events.hpp says how it hears); tests derive a fake.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "memory/events/watch_table.hpp"
#include "memory/range.hpp"

namespace halyard::memory {

class UnmapEvents {
 public:
  /// Must not outlive its UnmapEvents.
  class Watch {
   public:
    Watch(Watch&& other) noexcept;
    Watch& operator=(Watch&& other) noexcept;
    ~Watch();
    bool is_stale() const;

   private:
    friend class UnmapEvents;
    Watch(UnmapEvents& events, Range range, std::size_t slot) : events_(&events), range_(range), slot_(slot) {}
    UnmapEvents* events_;
    Range range_;
    std::size_t slot_;
  };

  UnmapEvents() = default;
  UnmapEvents(const UnmapEvents&) = delete;
  UnmapEvents& operator=(const UnmapEvents&) = delete;
  virtual ~UnmapEvents() = default;

  /// One for the process, kept while somebody holds it.
  static std::shared_ptr<UnmapEvents> of_process();

  /// Nothing when the end of this memory would not be heard: then nothing may be remembered of it.
  std::optional<Watch> watch(Range range);

  /// Any thread, any place. Memory in `range` is going, or has gone.
  void note(Range range) noexcept { table_.note(range); }
  /// Waits until everything is noted that a source has taken from the system: what was unmapped before is known then.
  void settle() const;
  /// How many watches have become stale so far: a look at one number tells that there is nothing to sweep.
  std::uint64_t num_stale() const { return table_.num_stale(); }

  /// Why no memory can be watched; empty when it can.
  virtual std::string why_deaf() = 0;

 protected:
  /// True while a source is between taking an event from the system, which lets the thread that unmaps go on, and
  /// having noted it.
  std::atomic<bool> is_hearing_{false};
  WatchTable& table() { return table_; }

 private:
  /// False when this range in particular cannot be watched.
  virtual bool begin(Range range) = 0;
  virtual void end(Range range) noexcept = 0;

  WatchTable table_;
};

/// To be called where memory of our own gets other pages under its address in a way that nobody hears (a hole punched
/// into a file). Not from a signal handler or inside malloc.
void note_unmapped(const void* data, std::size_t bytes);

}  // namespace halyard::memory
