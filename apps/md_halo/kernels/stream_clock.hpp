// StreamClock: the times at which the stream of kernels comes to marks in it. Marking only enqueues; nobody waits
// before the times are asked for. What hides behind work takes no time of the stream; what the stream waits for does.
// GPUs only.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/moment.hpp"

namespace halyard::md {

template <class Space>
class StreamClock;

template <>
class StreamClock<EmulatedSpace> {
 public:
  void mark() {
    times_.push_back(std::make_shared<Time>());
    EmulatedSpace::enqueue([time = times_.back()] { *time = std::chrono::steady_clock::now(); });
  }
  std::size_t num_marks() const { return times_.size(); }

  /// Seconds from each mark to the next; then there are none. Waits for the last one.
  std::vector<double> take() {
    if (!times_.empty()) EmulatedSpace::fence();
    std::vector<double> seconds;
    for (std::size_t i = 1; i < times_.size(); ++i)
      seconds.push_back(std::chrono::duration<double>(*times_[i] - *times_[i - 1]).count());
    times_.clear();
    return seconds;
  }

 private:
  using Time = std::chrono::steady_clock::time_point;
  std::vector<std::shared_ptr<Time>> times_;
};

#ifdef KOKKOS_ENABLE_CUDA
template <>
class StreamClock<Kokkos::Cuda> {
 public:
  StreamClock() = default;
  StreamClock(const StreamClock&) = delete;
  StreamClock& operator=(const StreamClock&) = delete;
  ~StreamClock() {
    for (cudaEvent_t event : events_) (void)cudaEventDestroy(event);
  }

  void mark() {
    if (num_marks_ == events_.size()) {
      events_.push_back(nullptr);
      check_cuda(cudaEventCreate(&events_.back()), "make an event");
    }
    check_cuda(cudaEventRecord(events_[num_marks_++], Kokkos::Cuda().cuda_stream()), "record an event");
  }
  std::size_t num_marks() const { return num_marks_; }

  std::vector<double> take() {
    std::vector<double> seconds;
    if (num_marks_ > 0) check_cuda(cudaEventSynchronize(events_[num_marks_ - 1]), "wait for a GPU");
    for (std::size_t i = 1; i < num_marks_; ++i) {
      float ms = 0;
      check_cuda(cudaEventElapsedTime(&ms, events_[i - 1], events_[i]), "read an event's time");
      seconds.push_back(1e-3 * static_cast<double>(ms));
    }
    num_marks_ = 0;
    return seconds;
  }

 private:
  std::vector<cudaEvent_t> events_;
  std::size_t num_marks_ = 0;
};
#endif

}  // namespace halyard::md
