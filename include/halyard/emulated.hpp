// EmulatedGpu: memory and streams of the emulated device (Options::device or HALYARD_DEVICE "emulated"), for
// applications that test the way their GPU runs go where there is no GPU.
//
// Its memory cannot be touched by the host, but for work in a stream, which sees it at host_view(); any other touch is
// a crash at that very place. Work of a stream runs in order, on a thread of the stream's. Exchanges and particles take
// this memory and these streams for a GPU's. Not for production: it is slow.
//
// Thread-safe. Must not outlive MPI; keeps what it needs of the context alive.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

#include "halyard/context.hpp"
#include "halyard/export.hpp"
#include "halyard/stream.hpp"

namespace halyard {

class HALYARD_API EmulatedGpu {
 public:
  /// The GPU of this rank. Throws Error(not_supported) when the context's device is another one.
  explicit EmulatedGpu(const Context& context);
  EmulatedGpu(EmulatedGpu&&) noexcept;
  EmulatedGpu& operator=(EmulatedGpu&&) noexcept;
  ~EmulatedGpu();

  /// Zeroed, aligned to 256 bytes. Throws Error(out_of_resources).
  void* allocate(std::size_t bytes);
  /// Nothing in any stream may still use it; nullptr is allowed.
  void deallocate(void* memory) noexcept;
  /// Between memory of any kinds, at once: no stream is waited for. Throws Error.
  void copy(void* target, const void* source, std::size_t bytes);
  /// Where work of a stream finds what lies at `address` of this memory. Other addresses stay what they are.
  void* host_view(const void* address) const;

  /// Work begins at least `delay` after it was given: what nobody waited for is then seen not to be there yet.
  Stream create_stream(std::chrono::microseconds delay = {});
  /// Work that is in it still runs.
  void destroy_stream(Stream stream) noexcept;
  /// Runs `work` after all that is in the stream. An exception is the stream's error from then on. Throws Error.
  void enqueue(Stream stream, std::function<void()> work);
  /// Waits for all that is in the stream. Throws its error.
  void synchronize(Stream stream);

 private:
  struct Core;
  std::unique_ptr<Core> core_;
};

}  // namespace halyard
