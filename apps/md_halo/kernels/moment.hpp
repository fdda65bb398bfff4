// Moment: a point in the stream of kernels that the host can wait for, while what was enqueued after it runs on. On the
// host every moment has passed.
#pragma once

#include <Kokkos_Core.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>

#include "kernels/views.hpp"

namespace halyard::md {

template <class Space>
class Moment {
 public:
  void mark() {}
  void wait() const {}
  bool has_passed() const { return true; }
};

template <>
class Moment<EmulatedSpace> {
 public:
  void mark() {
    const auto passed = std::make_shared<std::promise<void>>();
    passed_ = passed->get_future().share();
    EmulatedSpace::enqueue([passed] { passed->set_value(); });
  }
  void wait() const { passed_.wait(); }
  bool has_passed() const { return passed_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

 private:
  std::shared_future<void> passed_;
};

#ifdef KOKKOS_ENABLE_CUDA
inline void check_cuda(cudaError_t error, const char* tried) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string(tried) + ": " + cudaGetErrorString(error) + "; look at nvidia-smi");
}

template <>
class Moment<Kokkos::Cuda> {
 public:
  Moment() { check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "make an event"); }
  Moment(const Moment&) = delete;
  Moment& operator=(const Moment&) = delete;
  ~Moment() { (void)cudaEventDestroy(event_); }

  void mark() { check_cuda(cudaEventRecord(event_, Kokkos::Cuda().cuda_stream()), "record an event"); }
  void wait() const { check_cuda(cudaEventSynchronize(event_), "wait for a GPU"); }
  /// What is wrong with the GPU is said by whoever waits for it.
  bool has_passed() const { return cudaEventQuery(event_) != cudaErrorNotReady; }

 private:
  cudaEvent_t event_ = nullptr;
};
#endif

}  // namespace halyard::md
