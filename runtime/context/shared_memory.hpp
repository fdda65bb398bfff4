// SharedMemory: what Context::allocate hands out: pieces of the shared segment, or plain memory where there is none.
// Thread-safe.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <mutex>
#include <unordered_set>

#include "memory/arena.hpp"

namespace halyard::context {

class SharedMemory final : public std::pmr::memory_resource {
 public:
  /// `arena` may be null; it must outlive this.
  explicit SharedMemory(memory::Arena* arena) : arena_(arena) {}
  ~SharedMemory() override;

  void* take(std::size_t bytes);
  void give_back(void* memory) noexcept;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* memory, std::size_t, std::size_t) override { give_back(memory); }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  memory::Arena* arena_;
  std::mutex mutex_;
  std::unordered_set<void*> plain_;
};

}  // namespace halyard::context
