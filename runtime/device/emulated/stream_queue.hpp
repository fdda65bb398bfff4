// StreamQueue: one emulated stream. Work runs in order on a thread of the queue's own, which starts with the first
// piece. Thread-safe; destruction finishes what is left.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "halyard/status.hpp"

namespace halyard::device::emulated {

class StreamQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using Work = std::function<void()>;
  using Graph = std::vector<Work>;

  /// -1: belongs to every GPU.
  explicit StreamQueue(int ordinal) : ordinal_(ordinal) {}
  StreamQueue(const StreamQueue&) = delete;
  StreamQueue& operator=(const StreamQueue&) = delete;
  ~StreamQueue();

  int ordinal() const { return ordinal_; }
  bool is_capturing() const { return is_capturing_.load(std::memory_order_acquire); }
  bool is_idle() const { return num_pending_.load(std::memory_order_acquire) == 0; }

  /// Runs the work behind what is there, or records it.
  void enqueue(Work work);
  void set_delay(std::chrono::microseconds delay);
  /// Waits for what is there now. The first exception that work threw is the stream's error from then on.
  Status synchronize();
  /// Waits, whatever state the stream is in. Not from its own work.
  void drain();

  /// Both throw Error(invalid_argument) when the stream is in the other state.
  void begin_capture();
  std::shared_ptr<Graph> end_capture();

 private:
  struct Item {
    Work work;
    Clock::time_point not_before;
  };

  void run();
  std::optional<Item> next();
  void run_one(const Item& item);

  const int ordinal_;
  std::atomic<bool> is_capturing_{false};
  std::atomic<std::size_t> num_pending_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::chrono::microseconds delay_{0};
  std::shared_ptr<Graph> recording_;
  Status error_;
  bool is_closing_ = false;
  std::thread thread_;
};

}  // namespace halyard::device::emulated
