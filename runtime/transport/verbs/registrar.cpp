// See registrar.hpp.
#include "transport/verbs/registrar.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "transport/verbs/device/gpu_memory.hpp"

namespace halyard::transport::verbs {
namespace {

std::atomic<std::uint64_t> made{0};

}  // namespace

Registration::Registration(std::byte* base, std::size_t bytes, MemoryRegion region)
    : memory::Registration(base, bytes), region_(std::move(region)) {
  ++made;
}

std::uint64_t Registration::num_made() { return made; }

Registrar::Registrar(ibv_pd& domain, std::string name, device::Device* device)
    : domain_(domain), name_(std::move(name)) {
  if (device != nullptr) routes_.emplace(*device, ways_to_gpu_memory(domain, *device));
}

std::unique_ptr<memory::Registration> Registrar::register_range(std::byte* base, std::size_t bytes,
                                                                memory::MemoryKind kind) {
  const bool is_on_gpu = kind == memory::MemoryKind::device || kind == memory::MemoryKind::managed;
  if (is_on_gpu && routes_) return routes_->register_allocation(memory::Range::of(base, bytes));
  errno = 0;
  MemoryRegion region(ibv_reg_mr(&domain_, base, bytes, kAccess));
  if (region == nullptr) {
    const int error = errno == 0 ? EIO : errno;
    throw memory::RegistrationError(
        error, fmt::format("register {} bytes on {}: ibv_reg_mr: {}", bytes, name_, std::strerror(error)));
  }
  return std::make_unique<Registration>(base, bytes, std::move(region));
}

}  // namespace halyard::transport::verbs
