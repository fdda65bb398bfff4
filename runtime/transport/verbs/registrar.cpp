// See registrar.hpp.
#include "transport/verbs/registrar.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

namespace halyard::transport::verbs {
namespace {

std::atomic<std::uint64_t> made{0};

constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

}  // namespace

Registration::Registration(std::byte* base, std::size_t bytes, MemoryRegion region)
    : memory::Registration(base, bytes), region_(std::move(region)) {
  ++made;
}

std::uint64_t Registration::num_made() { return made; }

std::unique_ptr<memory::Registration> Registrar::register_range(std::byte* base, std::size_t bytes,
                                                                memory::MemoryKind) {
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
