// Script: the failures that a test asked for. Thread-safe.
#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "device/emulated.hpp"

namespace halyard::device::emulated {

class Script {
 public:
  void fail_next(DriverCall call, int times, std::string text) {
    const std::lock_guard lock(mutex_);
    entry(call) = {times, std::move(text)};
  }

  /// The text with which this call has to fail; nothing when it may succeed.
  std::optional<std::string> failure_of(DriverCall call) {
    const std::lock_guard lock(mutex_);
    Entry& entry_of_call = entry(call);
    if (entry_of_call.times <= 0) return std::nullopt;
    --entry_of_call.times;
    return entry_of_call.text;
  }

 private:
  struct Entry {
    int times = 0;
    std::string text;
  };
  Entry& entry(DriverCall call) { return entries_[static_cast<std::size_t>(call)]; }

  std::mutex mutex_;
  std::array<Entry, 5> entries_;
};

}  // namespace halyard::device::emulated
