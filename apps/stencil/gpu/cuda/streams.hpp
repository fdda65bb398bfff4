// Streams and events of CUDA as owned handles, and a ring of events that times what lies between them.
//
// Moments are marked on one stream, one after the other; the time from each to the next is read, in order, once it has
// passed. Marking allocates nothing. Main thread only.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>

#include "gpu/cuda/check.hpp"

namespace halyard::stencil::gpu {

struct DestroyStream {
  void operator()(cudaStream_t stream) const { (void)cudaStreamDestroy(stream); }
};
using OwnedStream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, DestroyStream>;

struct DestroyEvent {
  void operator()(cudaEvent_t event) const { (void)cudaEventDestroy(event); }
};
using OwnedEvent = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, DestroyEvent>;

enum class Priority { low, high };

/// Not synchronized with the default stream.
OwnedStream make_stream(Priority priority);
OwnedEvent make_event(unsigned flags);

class Marks {
 public:
  static constexpr std::uint64_t kMostAhead = 64;  // how far the host runs ahead of the GPU

  Marks();

  /// Marks this moment of `stream`; what is enqueued later on a stream that waits for the event comes after it.
  cudaEvent_t mark(cudaStream_t stream);
  /// Microseconds between two marks that both have passed and were not asked for yet, oldest first. Waits for them when
  /// the ring is full.
  std::optional<double> next_passed();
  /// The same, waiting in any case; nothing when none are left.
  std::optional<double> next();
  /// Begins anew: the next mark is the first.
  void clear() { num_marked_ = num_read_ = 0; }

 private:
  const OwnedEvent& at(std::uint64_t number) const { return events_[number % events_.size()]; }

  std::array<OwnedEvent, kMostAhead> events_;
  std::uint64_t num_marked_ = 0;
  std::uint64_t num_read_ = 0;  // the intervals that were asked for
};

}  // namespace halyard::stencil::gpu
