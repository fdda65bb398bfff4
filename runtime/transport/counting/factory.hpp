// counting: a worker that counts what goes through another one. For tests and for metrics.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "transport/worker.hpp"

namespace halyard::transport::counting {

/// What went through. Written by the threads that use the channels.
struct Counts {
  std::atomic<std::uint64_t> channels_opened{0};
  std::atomic<std::uint64_t> messages_posted{0};
  std::atomic<std::uint64_t> bytes_posted{0};  // 0 for in-place messages
  std::atomic<std::uint64_t> messages_received{0};
};

/// `counts` must outlive the worker and its channels.
std::unique_ptr<Worker> wrap(std::unique_ptr<Worker> inner, Counts& counts);

}  // namespace halyard::transport::counting
