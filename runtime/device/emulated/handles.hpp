// RAII for what the emulated device takes from the system: file descriptors and names in /dev/shm.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace halyard::device::emulated {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

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
