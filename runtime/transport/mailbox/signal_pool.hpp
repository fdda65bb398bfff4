// SignalPool: Signals that are used again as Signals only, and keeper of what ended channels leave behind (I6). A peer
// may go on writing until its own end is gone, which it says with its last word; only then are a Signal and the landing
// buffers beside it used again. Owned by a worker; thread-safe.
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

  /// A Signal in its initial state. First takes back what peers have finished with.
  Signal* take() {
    const std::lock_guard lock(mutex_);
    sweep();
    if (free_.empty()) grow();
    Signal* signal = free_.back();
    free_.pop_back();
    return new (signal) Signal;
  }

  /// Of a Signal that no peer has ever known.
  void give_back(Signal* signal) {
    const std::lock_guard lock(mutex_);
    free_.push_back(signal);
  }

  /// Of a Signal whose peer may still write. Once `farewell` has arrived in it, a later take() gives it back and calls
  /// `free_landing`; if it never arrives, never.
  void give_back_after(std::uint64_t farewell, Signal* signal, std::function<void()> free_landing) {
    const std::lock_guard lock(mutex_);
    left_.push_back({farewell, signal, std::move(free_landing)});
  }

  /// True when no peer can write into what was taken from here any more.
  bool is_quiet() {
    const std::lock_guard lock(mutex_);
    sweep();
    return left_.empty();
  }

 private:
  struct Left {
    std::uint64_t farewell;
    Signal* signal;
    std::function<void()> free_landing;
  };

  void sweep() {
    std::erase_if(left_, [this](const Left& left) {
      if (left.signal->closed.load(std::memory_order_acquire) != left.farewell) return false;
      if (left.free_landing) left.free_landing();
      free_.push_back(left.signal);
      return true;
    });
  }

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
  std::vector<Left> left_;
};

}  // namespace halyard::transport::mailbox
