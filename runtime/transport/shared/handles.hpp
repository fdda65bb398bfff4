// RAII for what the shared path opens: file descriptors, mappings, segment names.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <utility>

namespace halyard::transport::shared {

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

class Mapping {
 public:
  Mapping() = default;
  Mapping(std::byte* base, std::size_t bytes) : base_(base), bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept : base_(std::exchange(other.base_, nullptr)), bytes_(other.bytes_) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping() {
    if (base_ != nullptr) munmap(base_, bytes_);
  }
  std::byte* base() const { return base_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The name of a segment in /dev/shm; gone when this is.
class SegmentName {
 public:
  SegmentName() = default;
  explicit SegmentName(std::string name) : name_(std::move(name)) {}
  SegmentName(SegmentName&& other) noexcept : name_(std::exchange(other.name_, {})) {}
  SegmentName& operator=(SegmentName&& other) noexcept {
    std::swap(name_, other.name_);
    return *this;
  }
  ~SegmentName() {
    if (!name_.empty()) shm_unlink(name_.c_str());
  }
  const std::string& text() const { return name_; }

 private:
  std::string name_;
};

}  // namespace halyard::transport::shared
