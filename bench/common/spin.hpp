// FlagLine and Waiter: a 64-bit count on a cache line of its own, and how a rank waits for it.
//
// For the hand-written shared-memory code of the bench; Halyard has its own. While ranks do not
// outnumber cores a Waiter spins; otherwise it yields at once. Data path: await.
#pragma once

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace halyard::bench {

/// Two lines apart, for processors that fetch lines in pairs.
struct alignas(128) FlagLine {
  std::atomic<std::uint64_t> value{0};
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Whether this many ranks of one node have a core each.
inline bool have_core_each(int num_ranks) { return num_ranks <= sysconf(_SC_NPROCESSORS_ONLN); }

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

class Waiter {
 public:
  explicit Waiter(int num_ranks) : yields_(!have_core_each(num_ranks)) {}

  /// Returns once the flag has reached `number`, with everything stored before it visible.
  void await(const FlagLine& flag, std::uint64_t number) const {
    while (flag.value.load(std::memory_order_acquire) < number) {
      if (yields_)
        sched_yield();
      else
        relax();
    }
  }

 private:
  bool yields_;
};

}  // namespace halyard::bench
