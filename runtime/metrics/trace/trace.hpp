// Trace: a ring of events, made whole before the first one; the newest are kept, those that are overwritten are
// counted. Any thread adds; it is read when nobody adds any more.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "metrics/ticks.hpp"
#include "metrics/trace/gpu_part.hpp"

namespace halyard::metrics {

/// What an event is; user ranges have a name of their own.
enum class EventKind : std::uint8_t {
  nothing,
  pack,
  unpack,
  wait,
  user,
  launch,  // the host gives work to a GPU
  room,    // a GPU waits until the neighbors have room for what it sends
};

inline constexpr std::int32_t kNoPeer = -1;

/// What can be said of an event before it happens.
struct What {
  std::uint64_t bytes = 0;     // of the message
  const char* name = nullptr;  // of a user range: lives as long as the program
  std::uint32_t binding = 0;   // its number, equal on all ranks
  std::int32_t peer = kNoPeer;
  std::uint16_t thread = 0;  // a small number of its own for each thread; on a GPU the row, see gpu_part.hpp
  EventKind kind = EventKind::nothing;
  std::uint8_t gpu = 0;  // on which GPU: its ordinal + 1; times are nanoseconds of its clock
};

/// Which exchange of a binding, and of which kind.
struct Step {
  static constexpr std::uint32_t kReverse = 0x80000000U;

  std::uint32_t code = 0;  // its number, modulo 2^31, and kReverse

  Step() = default;
  Step(std::uint64_t number, bool is_reverse)
      : code((static_cast<std::uint32_t>(number) & ~kReverse) | (is_reverse ? kReverse : 0U)) {}
  static Step of_code(std::uint32_t code) {
    Step step;
    step.code = code;
    return step;
  }
  bool is_reverse() const { return kind() != 0; }
  /// 0: forward, 1: reverse.
  std::size_t kind() const { return code >> 31; }
  std::uint32_t number() const { return code & ~kReverse; }
};

struct alignas(64) Event {
  What what;
  Ticks begin = 0;
  Ticks end = 0;
  Step step;
};

class Trace {
 public:
  static constexpr std::size_t kCapacity = std::size_t{1} << 17;  // 8 MiB: a few thousand exchanges

  /// `capacity` is a power of two.
  explicit Trace(std::size_t capacity = kCapacity) : mask_(capacity - 1), events_(capacity) {}

  /// Data path. Any thread. Takes the place of the oldest event when the ring is full.
  void add(const What& what, Ticks begin, Ticks end, Step step) {
    Event& event = events_[next_.fetch_add(1, std::memory_order_relaxed) & mask_];
    event.what = what;
    event.begin = begin;
    event.end = end;
    event.step = step;
  }

  std::uint64_t num_added() const { return next_.load(std::memory_order_relaxed); }
  std::uint64_t num_dropped() const { return num_overwritten() + num_lost_.load(std::memory_order_relaxed); }
  /// Oldest first; nobody may be adding.
  std::vector<Event> events() const;

  /// A small number for the calling thread.
  static std::uint16_t own_thread();

  /// Of events with this `gpu`; before they are read.
  void set_gpu_clock(const GpuClock& clock) { gpu_clocks_.push_back(clock); }
  const std::vector<GpuClock>& gpu_clocks() const { return gpu_clocks_; }
  /// GPUs lost count of so many events before they came here.
  void add_dropped(std::uint64_t events) { num_lost_.fetch_add(events, std::memory_order_relaxed); }

  /// Who marks ranges in streams; null: nobody can. Ranges end before it does.
  void set_stream_marks(StreamMarks* marks) { stream_marks_.store(marks, std::memory_order_release); }
  StreamMarks* stream_marks() const { return stream_marks_.load(std::memory_order_acquire); }

 private:
  std::uint64_t num_overwritten() const { return num_added() <= events_.size() ? 0 : num_added() - events_.size(); }

  const std::size_t mask_;
  std::vector<Event> events_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> num_lost_{0};
  std::vector<GpuClock> gpu_clocks_;
  std::atomic<StreamMarks*> stream_marks_{nullptr};
};

}  // namespace halyard::metrics
