// RemoteWrites: what NICs have written and kernels do not see yet. Thread-safe.
#pragma once

#include <cstddef>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace halyard::device::emulated {

class RemoteWrites {
 public:
  /// `view`: where the bytes shall be seen, in memory of physical GPU `gpu`.
  void hold(int gpu, std::byte* view, const void* source, std::size_t bytes) {
    const auto* first = static_cast<const std::byte*>(source);
    const std::lock_guard lock(mutex_);
    held_.push_back({gpu, view, {first, first + bytes}});
  }

  void flush(int gpu) {
    const std::lock_guard lock(mutex_);
    for (const Write& write : held_)
      if (write.gpu == gpu) std::memcpy(write.view, write.bytes.data(), write.bytes.size());
    std::erase_if(held_, [gpu](const Write& write) { return write.gpu == gpu; });
  }

  /// The memory [first, end) has gone; so have writes to it.
  void forget(const std::byte* first, const std::byte* end) {
    const std::lock_guard lock(mutex_);
    std::erase_if(held_, [=](const Write& write) { return first <= write.view && write.view < end; });
  }

 private:
  struct Write {
    int gpu;
    std::byte* view;
    std::vector<std::byte> bytes;
  };

  std::mutex mutex_;
  std::vector<Write> held_;  // in the order in which they came
};

}  // namespace halyard::device::emulated
