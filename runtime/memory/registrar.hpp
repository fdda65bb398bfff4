// Registrar: makes memory known to a NIC. The backends of runtime/transport implement it (verbs: ibv_reg_mr, ucx:
// ucp_mem_map); the cache is its one caller, always with its own lock held, so a registrar needs none.
//
// A Registration is the memory's being known: destroying it ends that. A backend derives its own, with the keys that it
// needs, and casts back what the cache hands out: one cache serves one registrar.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "device/device.hpp"
#include "halyard/status.hpp"

namespace halyard::memory {

using device::MemoryKind;

class Registration {
 public:
  Registration(std::byte* base, std::size_t bytes) : base_(base), bytes_(bytes) {}
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  virtual ~Registration() = default;

  std::byte* base() const { return base_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::byte* base_;
  std::size_t bytes_;
};

/// What a registrar throws: errno, and what came back ("ibv_reg_mr: Cannot allocate memory"). The cache knows what was
/// tried and says what to do.
class RegistrationError : public Error {
 public:
  /// EIO where the library below gives no errno.
  RegistrationError(int error_number, std::string came_back);
  int error_number() const { return error_number_; }
  /// Something has run out (pages that may be locked, NIC resources), so that giving some back may help.
  bool is_shortage() const;

 private:
  int error_number_;
};

class Registrar {
 public:
  Registrar() = default;
  Registrar(const Registrar&) = delete;
  Registrar& operator=(const Registrar&) = delete;
  virtual ~Registrar() = default;

  /// For error texts: "verbs on mlx5_0".
  virtual std::string name() const = 0;

  /// Registers existing memory: whole pages of host memory, whole allocations of device and managed memory. Throws
  /// RegistrationError.
  virtual std::unique_ptr<Registration> register_range(std::byte* base, std::size_t bytes, MemoryKind kind) = 0;

  /// New host memory, zeroed, aligned to a page and registered; it goes when the registration goes. Null, as here, when
  /// the backend has no way of its own: then the cache takes pages and calls register_range. Throws RegistrationError.
  virtual std::unique_ptr<Registration> allocate(std::size_t bytes) {
    (void)bytes;
    return nullptr;
  }
};

}  // namespace halyard::memory
