// See address_space.hpp.
#include "device/emulated/address_space.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "halyard/status.hpp"

namespace halyard::device::emulated {
namespace {

constexpr int kReserve = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

std::byte* reserve(std::size_t bytes) {
  void* base = mmap(nullptr, bytes, PROT_NONE, kReserve, -1, 0);
  if (base == MAP_FAILED)
    throw Error(StatusCode::out_of_resources,
                fmt::format("reserve {} GiB of addresses for emulated GPU memory: {}; raise the limit on address space "
                            "(ulimit -v)",
                            bytes >> 30, std::strerror(errno)));
  return static_cast<std::byte*>(base);
}

}  // namespace

AddressSpace::AddressSpace() : base_(reserve(2 * kWindow)) { free_[0] = kNumGranules; }

std::byte* AddressSpace::take(std::size_t bytes) {
  const std::size_t count = granules_for(bytes) + 1;  // the last one is the guard
  const auto range = find_room(count);
  if (range == free_.end())
    throw Error(StatusCode::out_of_resources,
                fmt::format("allocate {} bytes of emulated GPU memory: no room in {} GiB of addresses; free some",
                            bytes, kWindow >> 30));
  const std::size_t behind = std::max(range->first, next_);
  const std::size_t first = behind + count <= range->first + range->second ? behind : range->first;
  carve(range, first, count);
  next_ = first + count;
  return base_ + first * kGranule;
}

/// The first range with room at or behind next_, else the first with room at all.
AddressSpace::Free::iterator AddressSpace::find_room(std::size_t count) {
  auto fallback = free_.end();
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const std::size_t end = range->first + range->second;
    if (end >= std::max(range->first, next_) + count) return range;
    if (range->second >= count && fallback == free_.end()) fallback = range;
  }
  return fallback;
}

std::byte* AddressSpace::take_at(std::byte* address, std::size_t bytes) {
  const std::size_t first = granule_of(address);
  const std::size_t count = granules_for(bytes) + 1;
  auto range = free_.upper_bound(first);
  if (range == free_.begin()) return nullptr;
  --range;
  if (first + count > range->first + range->second) return nullptr;
  carve(range, first, count);
  return address;
}

void AddressSpace::carve(Free::iterator range, std::size_t first, std::size_t count) {
  const auto [begin, length] = *range;
  free_.erase(range);
  if (first > begin) free_[begin] = first - begin;
  if (first + count < begin + length) free_[first + count] = begin + length - first - count;
}

void AddressSpace::give_back(std::byte* address, std::size_t bytes) {
  const std::size_t mapped = granules_for(bytes) * kGranule;
  mmap(address, mapped, PROT_NONE, kReserve | MAP_FIXED, -1, 0);
  mmap(twin_of(address), mapped, PROT_NONE, kReserve | MAP_FIXED, -1, 0);
  auto range = free_.emplace(granule_of(address), granules_for(bytes) + 1).first;
  if (const auto next = std::next(range); next != free_.end() && range->first + range->second == next->first) {
    range->second += next->second;
    free_.erase(next);
  }
  if (range == free_.begin()) return;
  if (const auto before = std::prev(range); before->first + before->second == range->first) {
    before->second += range->second;
    free_.erase(range);
  }
}

}  // namespace halyard::device::emulated
