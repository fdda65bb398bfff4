// The memory of an EmulatedDevice, see device.hpp.
#include <fmt/format.h>

#include <cstring>
#include <new>
#include <utility>

#include "base/log.hpp"
#include "device/emulated/device.hpp"
#include "halyard/status.hpp"

namespace halyard::device::emulated {
namespace {

constexpr std::align_val_t kAlignment{256};

}  // namespace

/// The work left in the streams has to end before the memory that it uses goes.
EmulatedGpus::~EmulatedGpus() {
  streams_.finish();
  for (const auto& [memory, bytes] : owned_) heap_.remove(memory);
  while (!mapped_.empty()) deallocate_mapped(mapped_.begin()->first);
}

MemoryFacts EmulatedGpus::facts_of(const void* address) const {
  if (heap_.is_gpu_address(address)) {
    const BlockFacts block = demand_block(address);
    return {block.kind, ordinal_of(block.gpu),   reinterpret_cast<std::uintptr_t>(block.address), block.bytes,
            block.id,   block.why_not_exportable};
  }
  const auto block = heap_.find(address);
  if (!block) return {.why_not_exportable = "it is host memory"};
  return {.kind = MemoryKind::pinned, .buffer_id = block->id, .why_not_exportable = block->why_not_exportable};
}

BlockFacts EmulatedGpus::demand_block(const void* address) const {
  auto block = heap_.find(address);
  if (!block)
    throw Error(
        StatusCode::invalid_argument,
        fmt::format("look up GPU memory at {}: the address belongs to no live allocation; it was freed, or lies "
                    "behind the end of one",
                    fmt::ptr(address)));
  return *std::move(block);
}

void* EmulatedGpus::allocate(int ordinal, std::size_t bytes) {
  return allocate_as({.ordinal = ordinal, .why_not_exportable = {}}, bytes);
}

void* EmulatedGpus::allocate_as(const EmulatedMemory& how, std::size_t bytes) {
  BlockFacts wish{
      .bytes = bytes, .kind = how.kind, .gpu = gpu_of(how.ordinal), .why_not_exportable = how.why_not_exportable};
  if (bytes == 0 || (how.kind != MemoryKind::device && how.kind != MemoryKind::managed))
    throw Error(
        StatusCode::invalid_argument,
        fmt::format("allocate {} bytes of {} memory on a GPU: it must be at least one byte of device or managed "
                    "memory",
                    bytes, name_of(how.kind)));
  if (const auto failure = script_.failure_of(DriverCall::allocate))
    throw Error(StatusCode::out_of_resources,
                fmt::format("allocate {} bytes on {}: {}; free memory there or use fewer ranks per GPU", bytes,
                            describe(how.ordinal), *failure));
  if (how.kind == MemoryKind::managed && wish.why_not_exportable.empty()) wish.why_not_exportable = "managed memory";
  wish.why_no_dma_buf = how.why_no_dma_buf;
  wish.delays_remote_writes = how.delays_remote_writes;
  if (how.reuses_address) wish.address = last_freed(bytes);
  const BlockFacts block = heap_.add(std::move(wish), Segment::make(bytes));
  ++counters_->allocations;
  lives_.add(block.address, how.ordinal, life(how.ordinal));
  const std::lock_guard lock(mutex_);
  owned_[block.address] = bytes;
  return block.address;
}

std::byte* EmulatedGpus::last_freed(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = last_freed_.find(bytes);
  if (found == last_freed_.end())
    throw Error(StatusCode::invalid_argument,
                fmt::format("use an address again: no block of {} bytes was freed before", bytes));
  return found->second;
}

void EmulatedGpus::deallocate(void* memory) noexcept {
  if (memory == nullptr) return;
  const Lives::Taken taken = lives_.take(memory, [this](int ordinal) { return life(ordinal); });
  if (taken.fate == Lives::Fate::gone) return;
  const std::lock_guard lock(mutex_);
  const auto found = owned_.find(memory);
  if (found != owned_.end()) return free_block(found);
  base::log_error(fmt::format("free GPU memory at {}: this device has no allocation there", fmt::ptr(memory)));
}

void EmulatedGpus::free_block(std::map<void*, std::size_t>::iterator block) {
  const auto [memory, bytes] = *block;
  const std::byte* view = heap_.twin(memory);
  remote_writes_.forget(view, view + bytes);
  heap_.remove(memory);
  last_freed_[bytes] = static_cast<std::byte*>(memory);
  owned_.erase(block);
  ++counters_->deallocations;
}

void EmulatedGpus::reset(int ordinal) {
  const int gpu = gpu_of(ordinal);
  streams_.finish();
  const std::lock_guard lock(mutex_);
  for (auto block = owned_.begin(); block != owned_.end();) {
    const auto facts = heap_.find(block->first);
    const auto next = std::next(block);
    if (facts && facts->gpu == gpu) free_block(block);
    block = next;
  }
  ++life_[static_cast<std::size_t>(ordinal)];
}

void* EmulatedGpus::allocate_mapped(std::size_t bytes) {
  void* memory = bytes == 0 ? nullptr : ::operator new(bytes, kAlignment, std::nothrow);
  if (memory == nullptr)
    throw Error(StatusCode::out_of_resources,
                fmt::format("allocate {} bytes of mapped host memory: the system gives none; ask for at least one byte "
                            "and no more than there is",
                            bytes));
  std::memset(memory, 0, bytes);
  heap_.add_host(memory, bytes);
  ++counters_->mapped_allocations;
  const std::lock_guard lock(mutex_);
  mapped_[memory] = bytes;
  return memory;
}

void EmulatedGpus::deallocate_mapped(void* memory) noexcept {
  if (memory == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (mapped_.erase(memory) == 0) {
    base::log_error(fmt::format("free mapped memory at {}: this device has none there", fmt::ptr(memory)));
    return;
  }
  heap_.remove_host(memory);
  ::operator delete(memory, kAlignment);
}

std::shared_ptr<void> EmulatedGpus::pin(void* memory, std::size_t bytes) {
  if (memory == nullptr || bytes == 0 || heap_.is_gpu_address(memory))
    throw Error(StatusCode::invalid_argument,
                fmt::format("pin {} bytes at {}: that is no host memory", bytes, fmt::ptr(memory)));
  heap_.add_host(memory, bytes);
  return {memory, [&heap = heap_](void* pinned) { heap.remove_host(pinned); }};
}

void EmulatedGpus::copy(void* target, const void* source, std::size_t bytes) {
  if (bytes == 0) return;
  std::memmove(demand_view(target, bytes), demand_view(source, bytes), bytes);
  ++counters_->copies;
}

void EmulatedGpus::write_remotely(void* target, const void* source, std::size_t bytes) {
  if (bytes == 0) return;
  std::byte* view = demand_view(target, bytes);
  const auto block = heap_.find(target);
  if (block && block->delays_remote_writes) {
    remote_writes_.hold(block->gpu, view, source, bytes);
  } else {
    std::memcpy(view, source, bytes);
  }
}

Status EmulatedGpus::flush_remote_writes(int ordinal) {
  if (ordinal < 0 || ordinal >= num_gpus())
    return {StatusCode::invalid_argument, fmt::format("flush remote writes to GPU {}: there is none", ordinal)};
  ++counters_->flushes;
  remote_writes_.flush(gpus_[static_cast<std::size_t>(ordinal)]);
  return {};
}

std::byte* EmulatedGpus::demand_view(const void* address, std::size_t bytes) const {
  if (!heap_.is_gpu_address(address)) return heap_.twin(address);
  const BlockFacts block = demand_block(address);
  const auto left = static_cast<std::size_t>(block.address + block.bytes - static_cast<const std::byte*>(address));
  if (bytes > left)
    throw Error(StatusCode::invalid_argument,
                fmt::format("copy {} bytes at {}: its allocation ends after {}", bytes, fmt::ptr(address), left));
  return heap_.twin(address);
}

}  // namespace halyard::device::emulated
