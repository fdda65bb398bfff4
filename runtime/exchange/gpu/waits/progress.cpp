// See progress.hpp.
#include "exchange/gpu/waits/progress.hpp"

#include <algorithm>
#include <chrono>

namespace halyard::exchange::gpu {
namespace {

constexpr unsigned kPausesBeforeSleep = 2000;
constexpr auto kSleep = std::chrono::microseconds(50);

}  // namespace

Progress::~Progress() {
  stops_ = true;
  if (thread_.joinable()) thread_.join();
}

void Progress::add(Driven& driven) {
  const std::lock_guard lock(mutex_);
  driven_.push_back(&driven);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
}

void Progress::remove(Driven& driven) {
  const std::lock_guard lock(mutex_);
  std::erase(driven_, &driven);
}

void Progress::run() {
  unsigned pauses = 0;
  while (!stops_.load(std::memory_order_relaxed)) {
    if (advance_all())
      pauses = 0;
    else if (++pauses < kPausesBeforeSleep)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(kSleep);
  }
}

bool Progress::advance_all() {
  const std::lock_guard lock(mutex_);
  bool has_moved = false;
  for (Driven* driven : driven_) has_moved = driven->advance() || has_moved;
  return has_moved;
}

}  // namespace halyard::exchange::gpu
