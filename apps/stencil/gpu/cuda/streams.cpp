// See streams.hpp.
#include "gpu/cuda/streams.hpp"

namespace halyard::stencil::gpu {

OwnedStream make_stream(Priority priority) {
  int least = 0;
  int greatest = 0;
  check("ask for the priorities of streams", cudaDeviceGetStreamPriorityRange(&least, &greatest));
  cudaStream_t stream = nullptr;
  check("make a stream",
        cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority == Priority::high ? greatest : least));
  return OwnedStream(stream);
}

OwnedEvent make_event(unsigned flags) {
  cudaEvent_t event = nullptr;
  check("make an event", cudaEventCreateWithFlags(&event, flags));
  return OwnedEvent(event);
}

Marks::Marks() {
  for (OwnedEvent& event : events_) event = make_event(cudaEventDefault);
}

cudaEvent_t Marks::mark(cudaStream_t stream) {
  const cudaEvent_t event = at(num_marked_).get();
  check("mark a moment of a stream", cudaEventRecord(event, stream));
  ++num_marked_;
  return event;
}

std::optional<double> Marks::next_passed() {
  if (num_marked_ < num_read_ + 2) return std::nullopt;
  const bool is_full = num_marked_ - num_read_ >= events_.size();
  if (!is_full) {
    const cudaError_t state = cudaEventQuery(at(num_read_ + 1).get());
    if (state == cudaErrorNotReady) {
      (void)cudaGetLastError();  // an answer, but kept as if it were an error: Kokkos' next launch would find it
      return std::nullopt;
    }
    check("run the kernels of a step", state);
  }
  return next();
}

std::optional<double> Marks::next() {
  if (num_marked_ < num_read_ + 2) return std::nullopt;
  const cudaEvent_t end = at(num_read_ + 1).get();
  check("run the kernels of a step", cudaEventSynchronize(end));
  float ms = 0;
  check("read the time between two events", cudaEventElapsedTime(&ms, at(num_read_).get(), end));
  ++num_read_;
  return 1000.0 * static_cast<double>(ms);
}

}  // namespace halyard::stencil::gpu
