// RAII for what the shared path opens: file descriptors, mappings, segment names.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <utility>

#include "base/file_descriptor.hpp"

namespace halyard::transport::shared {

using base::FileDescriptor;

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
