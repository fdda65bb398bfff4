// Counts what an exchange must not do: allocations and system calls of the calling thread. Linked into no_cost_test
// only: it replaces malloc and its kin for the whole program.
#pragma once

#include <cstdint>
#include <string>

namespace halyard::test {

/// Calls of malloc, calloc, realloc, free, aligned allocation (operator new ends in them) by this thread so far.
std::uint64_t num_heap_calls();

/// Watches this thread's system calls through Linux's syscall user dispatch (5.11, x86-64).
class SystemCallWatch {
 public:
  /// Why system calls cannot be watched here; empty when they can.
  static std::string unavailable();

  SystemCallWatch();
  SystemCallWatch(const SystemCallWatch&) = delete;
  SystemCallWatch& operator=(const SystemCallWatch&) = delete;
  ~SystemCallWatch();

  /// From here on, the first system call is noted (and performed); until stop(). Neither calls the system itself.
  void start();
  /// The number of the first system call since start(); -1 when there was none.
  std::int64_t stop();
};

}  // namespace halyard::test
