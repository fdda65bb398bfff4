// See arena.hpp.
#include "memory/arena.hpp"

#include <fmt/format.h>

#include "halyard/status.hpp"

namespace halyard::memory {
namespace {

constexpr std::size_t kDecommitFrom = std::size_t{1} << 20;  // smaller pieces keep their pages

std::size_t rounded_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }
std::size_t rounded_down(std::size_t value, std::size_t step) { return value / step * step; }

}  // namespace

Arena::Arena(std::byte* base, std::size_t bytes, Hooks hooks) : base_(base), bytes_(bytes), hooks_(std::move(hooks)) {
  free_.emplace(0, bytes);
}

std::byte* Arena::allocate(std::size_t bytes) { return allocate(bytes, kAlignment); }

std::byte* Arena::allocate_pages(std::size_t bytes) { return allocate(bytes, kPage); }

std::byte* Arena::allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t needed = rounded_up(bytes == 0 ? 1 : bytes, alignment);
  const std::lock_guard lock(mutex_);
  const auto range = needed < bytes ? free_.end() : first_fit(needed, alignment);
  if (range == free_.end())
    throw Error(StatusCode::out_of_resources,
                fmt::format("allocate {} bytes of shared memory: the arena of {} bytes has no such piece left; raise "
                            "HALYARD_ARENA or free fields that are not used",
                            bytes, bytes_));
  const std::size_t offset = rounded_up(range->first, alignment);
  const std::size_t first_page = rounded_down(offset, kPage);
  hooks_.commit(first_page, rounded_up(offset + needed, kPage) - first_page);
  take(range, offset, needed);
  used_.emplace(offset, needed);
  return base_ + offset;
}

bool Arena::deallocate(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  if (!contains(memory, 1)) return false;
  const auto piece = used_.find(offset_of(memory));
  if (piece == used_.end()) return false;
  const auto [offset, bytes] = *piece;
  used_.erase(piece);
  put_back(offset, bytes);
  const std::size_t first = rounded_up(offset, kPage);
  const std::size_t last = rounded_down(offset + bytes, kPage);
  if (bytes >= kDecommitFrom && last > first) hooks_.decommit(first, last - first);
  return true;
}

bool Arena::contains(const void* data, std::size_t bytes) const {
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  const auto first = reinterpret_cast<std::uintptr_t>(base_);
  return at >= first && bytes <= bytes_ && at - first <= bytes_ - bytes;
}

std::size_t Arena::offset_of(const void* data) const {
  return reinterpret_cast<std::uintptr_t>(data) - reinterpret_cast<std::uintptr_t>(base_);
}

std::size_t Arena::bytes_in_use() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const auto& [offset, size] : used_) bytes += size;
  return bytes;
}

std::size_t Arena::num_pieces() const {
  const std::lock_guard lock(mutex_);
  return used_.size();
}

Arena::Ranges::iterator Arena::first_fit(std::size_t bytes, std::size_t alignment) {
  auto range = free_.begin();
  const auto holds = [&] { return rounded_up(range->first, alignment) - range->first + bytes <= range->second; };
  while (range != free_.end() && !holds()) ++range;
  return range;
}

void Arena::take(Ranges::iterator range, std::size_t first, std::size_t bytes) {
  const std::size_t begin = range->first;
  const std::size_t end = begin + range->second;
  free_.erase(range);
  if (first > begin) free_.emplace(begin, first - begin);
  if (end > first + bytes) free_.emplace(first + bytes, end - first - bytes);
}

void Arena::put_back(std::size_t offset, std::size_t bytes) {
  const auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + bytes == next->first) {
    bytes += next->second;
    free_.erase(next);
  }
  const auto after = free_.lower_bound(offset);
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  free_.emplace(offset, bytes);
}

}  // namespace halyard::memory
