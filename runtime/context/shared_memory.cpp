// See shared_memory.hpp.
#include "context/shared_memory.hpp"

#include <fmt/format.h>

#include <new>

#include "base/log.hpp"
#include "halyard/status.hpp"

namespace halyard::context {
namespace {

constexpr std::align_val_t kAlignment{memory::Arena::kAlignment};

}  // namespace

SharedMemory::~SharedMemory() {
  for (void* memory : plain_) ::operator delete(memory, kAlignment);
}

void* SharedMemory::take(std::size_t bytes) {
  if (arena_ != nullptr) return arena_->allocate(bytes);
  void* memory = ::operator new(bytes == 0 ? 1 : bytes, kAlignment, std::nothrow);
  if (memory == nullptr)
    throw Error(StatusCode::out_of_resources, fmt::format("allocate {} bytes: the system has no memory left", bytes));
  const std::lock_guard lock(mutex_);
  plain_.insert(memory);
  return memory;
}

void SharedMemory::give_back(void* memory) noexcept {
  if (memory == nullptr || (arena_ != nullptr && arena_->deallocate(memory))) return;
  const std::lock_guard lock(mutex_);
  if (plain_.erase(memory) == 0)
    return base::log_error("deallocate memory that this context did not allocate: left alone");
  ::operator delete(memory, kAlignment);
}

void* SharedMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (alignment > memory::Arena::kAlignment)
    throw Error(StatusCode::invalid_argument,
                fmt::format("allocate with alignment {}: Halyard's memory is aligned to {}", alignment,
                            memory::Arena::kAlignment));
  return take(bytes);
}

}  // namespace halyard::context
