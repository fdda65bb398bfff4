// SignalPool: Signals that are used again as Signals only. A peer that gives up late may still write one word into the
// Signal of a channel that is gone; that word must never land in anything else. Owned by a worker; thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "transport/mailbox/signal.hpp"

namespace halyard::transport::mailbox {

class SignalPool {
 public:
  /// `allocate` answers that many bytes, aligned as they come; they are never given back.
  explicit SignalPool(std::function<void*(std::size_t bytes)> allocate) : allocate_(std::move(allocate)) {}

  /// A Signal in its initial state.
  Signal* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) grow();
    Signal* signal = free_.back();
    free_.pop_back();
    return new (signal) Signal;
  }

  void give_back(Signal* signal) {
    const std::lock_guard lock(mutex_);
    free_.push_back(signal);
  }

 private:
  void grow() {
    constexpr std::size_t kAtOnce = 32;
    std::size_t bytes = (kAtOnce + 1) * sizeof(Signal);  // an arena aligns to less than a Signal wants
    void* memory = allocate_(bytes);
    auto* signals = static_cast<Signal*>(std::align(alignof(Signal), kAtOnce * sizeof(Signal), memory, bytes));
    for (std::size_t i = kAtOnce; i > 0; --i) free_.push_back(signals + i - 1);
  }

  std::function<void*(std::size_t)> allocate_;
  std::mutex mutex_;
  std::vector<Signal*> free_;
};

}  // namespace halyard::transport::mailbox
