// RAII for what the emulated device takes from the system: file descriptors and names in /dev/shm.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "base/file_descriptor.hpp"

namespace halyard::device::emulated {

using base::FileDescriptor;

/// A name of a shared memory object; gone when this is, unless a forked child drops its copy.
class SegmentName {
 public:
  SegmentName() = default;
  explicit SegmentName(std::string name) : name_(std::move(name)), owner_(getpid()) {}
  SegmentName(SegmentName&& other) noexcept : name_(std::exchange(other.name_, {})), owner_(other.owner_) {}
  SegmentName& operator=(SegmentName&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  ~SegmentName() {
    if (!name_.empty() && owner_ == getpid()) shm_unlink(name_.c_str());
  }
  const std::string& text() const { return name_; }

 private:
  std::string name_;
  pid_t owner_ = 0;
};

}  // namespace halyard::device::emulated
