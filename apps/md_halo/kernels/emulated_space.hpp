// EmulatedSpace: what a Kokkos space would be for the emulated device: kernels of the host, as work of one stream.
// Named like the members of Kokkos' spaces that are used. The host runs ahead of it, as of a GPU.
//
// Atoms lie in the emulated device's memory, which only that work may touch; memory of kernels' own is the host's.
#pragma once

#include <Kokkos_Core.hpp>
#include <functional>

#include "halyard/emulated.hpp"

namespace halyard::md {

class EmulatedSpace {
 public:
  using execution_space = Kokkos::DefaultHostExecutionSpace;
  using memory_space = execution_space::memory_space;

  /// Threads of a GPU place atoms by turns that nobody decides.
  static int concurrency() { return 2; }
  /// Waits for what is enqueued. Throws halyard::Error when some of it failed.
  static void fence();
  /// The same, and says nothing.
  static void wait_for_all() noexcept;

  static Stream stream();
  static EmulatedGpu& gpu();
  static void enqueue(std::function<void()> work);
};

/// The space, open while this lives; one at a time.
class EmulatedScope {
 public:
  /// Throws halyard::Error when the context's device is another one, std::runtime_error when this Kokkos cannot compute
  /// in a stream's thread.
  explicit EmulatedScope(const Context& context);
  EmulatedScope(const EmulatedScope&) = delete;
  EmulatedScope& operator=(const EmulatedScope&) = delete;
  ~EmulatedScope();

 private:
  EmulatedGpu gpu_;
  Stream stream_;
};

}  // namespace halyard::md
