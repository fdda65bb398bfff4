// See stream_queue.hpp.
#include "device/emulated/stream_queue.hpp"

#include <exception>
#include <utility>

namespace halyard::device::emulated {

StreamQueue::~StreamQueue() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StreamQueue::enqueue(Work work) {
  {
    const std::lock_guard lock(mutex_);
    if (recording_) {
      recording_->push_back(std::move(work));
      return;
    }
    items_.push_back({std::move(work), Clock::now() + delay_});
    num_pending_.fetch_add(1, std::memory_order_relaxed);
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  changed_.notify_all();
}

void StreamQueue::set_delay(std::chrono::microseconds delay) {
  const std::lock_guard lock(mutex_);
  delay_ = delay;
}

Status StreamQueue::synchronize() {
  std::unique_lock lock(mutex_);
  if (recording_)
    return {StatusCode::invalid_argument, "synchronize a stream: it is being captured; end the capture first"};
  if (thread_.get_id() == std::this_thread::get_id())
    return {StatusCode::invalid_argument, "synchronize a stream: called from work in that very stream"};
  changed_.wait(lock, [this] { return is_idle(); });
  return error_;
}

void StreamQueue::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_idle(); });
}

void StreamQueue::begin_capture() {
  const std::lock_guard lock(mutex_);
  if (recording_) throw Error(StatusCode::invalid_argument, "begin a capture: the stream is being captured already");
  recording_ = std::make_shared<Graph>();
  is_capturing_.store(true, std::memory_order_release);
}

std::shared_ptr<StreamQueue::Graph> StreamQueue::end_capture() {
  const std::lock_guard lock(mutex_);
  if (!recording_) throw Error(StatusCode::invalid_argument, "end a capture: the stream is not being captured");
  is_capturing_.store(false, std::memory_order_release);
  return std::exchange(recording_, nullptr);
}

void StreamQueue::run() {
  while (const auto item = next()) run_one(*item);
}

std::optional<StreamQueue::Item> StreamQueue::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_closing_ || !items_.empty(); });
  if (items_.empty()) return std::nullopt;
  Item item = std::move(items_.front());
  items_.pop_front();
  return item;
}

void StreamQueue::run_one(const Item& item) {
  std::this_thread::sleep_until(item.not_before);
  Status failure;
  try {
    item.work();
  } catch (const std::exception& error) {
    failure = {StatusCode::transport_failed, error.what()};
  }
  {
    const std::lock_guard lock(mutex_);
    if (error_.ok()) error_ = std::move(failure);
    num_pending_.fetch_sub(1, std::memory_order_release);
  }
  changed_.notify_all();
}

}  // namespace halyard::device::emulated
