// Arena: hands out pieces of one large range of address space, 64-byte aligned. The range is there from the start; a
// hook takes pages from the system when a piece is handed out and gives them back when a large piece is freed.
//
// Thread-safe. Not for the data path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

namespace halyard::memory {

class Arena {
 public:
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kPage = 4096;

  /// Called with page-aligned offsets. `commit` throws when the system has no pages left.
  struct Hooks {
    std::function<void(std::size_t offset, std::size_t bytes)> commit;
    std::function<void(std::size_t offset, std::size_t bytes)> decommit;
  };

  Arena(std::byte* base, std::size_t bytes, Hooks hooks);
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Throws Error(out_of_resources) when the range is full, and what `commit` throws. 0 bytes are taken as 1.
  std::byte* allocate(std::size_t bytes);
  /// The same in whole pages, which nothing else shares.
  std::byte* allocate_pages(std::size_t bytes);
  /// Returns false when `memory` was not handed out by this arena.
  bool deallocate(void* memory) noexcept;

  /// True when all of [data, data + bytes) lies in the arena's range.
  bool contains(const void* data, std::size_t bytes) const;
  std::size_t offset_of(const void* data) const;

  std::size_t bytes_in_use() const;
  std::size_t num_pieces() const;

 private:
  using Ranges = std::map<std::size_t, std::size_t>;  // offset → bytes

  std::byte* allocate(std::size_t bytes, std::size_t alignment);
  Ranges::iterator first_fit(std::size_t bytes, std::size_t alignment);
  void take(Ranges::iterator range, std::size_t first, std::size_t bytes);
  void put_back(std::size_t offset, std::size_t bytes);

  std::byte* base_;
  std::size_t bytes_;
  Hooks hooks_;
  mutable std::mutex mutex_;
  Ranges free_;
  Ranges used_;
};

}  // namespace halyard::memory
