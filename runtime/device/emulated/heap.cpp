// See heap.hpp.
#include "device/emulated/heap.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "halyard/status.hpp"

namespace halyard::device::emulated {
namespace {

bool holds(const BlockFacts& facts, const void* address) {
  const auto* byte = static_cast<const std::byte*>(address);
  return facts.address <= byte && byte < facts.address + facts.bytes;
}

/// The last entry that begins at or before `address`, or the end.
template <class Map>
auto entry_before(Map& map, const void* address) {
  const auto next = map.upper_bound(static_cast<const std::byte*>(address));
  return next == map.begin() ? map.end() : std::prev(next);
}

}  // namespace

Heap& Heap::of_process() {
  static Heap& heap = *new Heap;
  return heap;
}

BlockFacts Heap::add(BlockFacts wish, Segment segment) {
  const std::lock_guard lock(mutex_);
  wish.address = place(wish);
  wish.id = ++last_id_;
  try {
    segment.map_at(space_.twin_of(wish.address));
    if (wish.kind == MemoryKind::managed) segment.map_at(wish.address);
  } catch (...) {
    space_.give_back(wish.address, wish.bytes);
    throw;
  }
  blocks_.emplace(wish.address, Block{wish, std::move(segment)});
  mark(wish, wish.kind == MemoryKind::managed ? State::readable : State::hidden);
  return wish;
}

std::byte* Heap::place(const BlockFacts& wish) {
  if (wish.address == nullptr) return space_.take(wish.bytes);
  std::byte* address = space_.take_at(wish.address, wish.bytes);
  if (address == nullptr)
    throw Error(StatusCode::invalid_argument,
                fmt::format("allocate {} bytes at {} again: another block lies there by now", wish.bytes,
                            fmt::ptr(wish.address)));
  return address;
}

bool Heap::remove(const void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(static_cast<const std::byte*>(address));
  if (found == blocks_.end()) return false;
  const BlockFacts& facts = found->second.facts;
  mark(facts, State::unused);
  space_.give_back(facts.address, facts.bytes);
  blocks_.erase(found);
  return true;
}

std::string Heap::publish(const void* address) {
  const std::lock_guard lock(mutex_);
  const auto found = entry_before(blocks_, address);
  if (found == blocks_.end() || !holds(found->second.facts, address))
    throw Error(StatusCode::invalid_argument,
                fmt::format("export {}: it belongs to no live allocation", fmt::ptr(address)));
  return found->second.segment.publish();
}

base::FileDescriptor Heap::file_of(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto found = entry_before(blocks_, address);
  if (found == blocks_.end() || !holds(found->second.facts, address))
    throw Error(StatusCode::invalid_argument,
                fmt::format("export {} as dma-buf: it belongs to no live allocation", fmt::ptr(address)));
  return found->second.segment.duplicate();
}

void Heap::add_host(void* memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  auto* first = static_cast<std::byte*>(memory);
  const auto before = entry_before(host_, first + bytes - 1);
  if (before != host_.end() && before->second.address + before->second.bytes > first)
    throw Error(StatusCode::invalid_argument,
                fmt::format("pin {} bytes at {}: part of it is pinned already; pin memory once, and whole", bytes,
                            fmt::ptr(memory)));
  host_[first] = {first, bytes, MemoryKind::pinned, -1, ++last_id_, "it is host memory"};
}

void Heap::remove_host(const void* memory) {
  const std::lock_guard lock(mutex_);
  host_.erase(static_cast<const std::byte*>(memory));
}

std::optional<BlockFacts> Heap::find(const void* address) const {
  const std::lock_guard lock(mutex_);
  if (is_gpu_address(address)) {
    const auto found = entry_before(blocks_, address);
    if (found != blocks_.end() && holds(found->second.facts, address)) return found->second.facts;
  } else if (const auto found = entry_before(host_, address); found != host_.end() && holds(found->second, address)) {
    return found->second;
  }
  return std::nullopt;
}

std::byte* Heap::twin(const void* address) const {
  auto* byte = static_cast<std::byte*>(const_cast<void*>(address));
  if (!space_.contains(address)) return byte;
  switch (states_[space_.granule_of(address)].load(std::memory_order_acquire)) {
    case State::hidden:
      return space_.twin_of(address);
    case State::readable:
      return byte;
    case State::unused:
      break;
  }
  return nullptr;
}

void Heap::mark(const BlockFacts& facts, State state) {
  const std::size_t first = space_.granule_of(facts.address);
  const std::size_t count = AddressSpace::granules_for(facts.bytes);
  for (std::size_t i = first; i < first + count; ++i) states_[i].store(state, std::memory_order_release);
}

}  // namespace halyard::device::emulated
