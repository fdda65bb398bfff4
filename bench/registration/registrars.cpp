// See registrars.hpp.
#include "registration/registrars.hpp"

#include <sys/mman.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "transport/ucx/factory.hpp"
#include "transport/verbs/factory.hpp"

namespace halyard::bench {
namespace {

/// What pinning alone costs: the floor of every registration with a NIC.
class LockingRegistrar final : public memory::Registrar {
 public:
  std::string name() const override { return "mlock"; }
  std::unique_ptr<memory::Registration> register_range(std::byte* base, std::size_t bytes,
                                                       memory::MemoryKind) override {
    if (mlock(base, bytes) != 0) throw memory::RegistrationError(errno, std::string("mlock: ") + std::strerror(errno));
    return std::make_unique<Locked>(base, bytes);
  }

 private:
  class Locked final : public memory::Registration {
   public:
    using Registration::Registration;
    ~Locked() override { munlock(base(), bytes()); }
  };
};

constexpr std::array kEntries{
    RegistrarEntry{
        "mlock",
        [](std::string&) -> std::unique_ptr<memory::Registrar> { return std::make_unique<LockingRegistrar>(); }},
    RegistrarEntry{"ucx", &transport::ucx::open_registrar},
    RegistrarEntry{"verbs", &transport::verbs::open_registrar},
};

}  // namespace

std::span<const RegistrarEntry> registrar_entries() { return kEntries; }

}  // namespace halyard::bench
