// Pages: zeroed pages of anonymous memory, for tests that unmap them in ways of their own.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

#include "memory/range.hpp"

namespace halyard::test {

constexpr std::size_t kPage = 4096;

/// Mapped until unmap() or a test's own call; never by itself, since a test that unmaps by hand may have other memory
/// there by then.
class Pages {
 public:
  explicit Pages(std::size_t count, void* at = nullptr) : bytes_(count * kPage) {
    const int fixed = at == nullptr ? 0 : MAP_FIXED;
    void* mapped = mmap(at, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
    if (mapped == MAP_FAILED) std::abort();
    data_ = static_cast<std::byte*>(mapped);
  }
  std::byte* data() const { return data_; }
  std::byte* page(std::size_t i) const { return data_ + i * kPage; }
  std::size_t bytes() const { return bytes_; }
  memory::Range range() const { return memory::Range::of(data_, bytes_); }
  void unmap() const { munmap(data_, bytes_); }
  /// Past every library, as a program does that brings a C library of its own.
  void unmap_by_system_call() const { syscall(SYS_munmap, data_, bytes_); }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace halyard::test
