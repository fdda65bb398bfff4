// DeviceRoutes: by which of two ways GPU memory becomes known to a NIC, and why not by the better one. A registrar owns
// one and asks it in register_range; set-up only, under the cache's lock.
//
// dma-buf comes first: it needs nothing but driver and kernel, and holds the memory itself. nvidia_peermem comes
// second: it needs a module that may be loaded and not in use, so only a trial tells (field case K01).
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "device/device.hpp"
#include "memory/range.hpp"
#include "memory/registrar.hpp"

namespace halyard::memory {

enum class DeviceRoute { dma_buf, peermem };

/// "dma-buf", "nvidia_peermem"
std::string_view name_of(DeviceRoute route);

class DeviceRoutes {
 public:
  /// What the NIC's library can do. A way that it lacks is empty, with the reason.
  struct Ways {
    std::function<std::unique_ptr<Registration>(const device::DmaBuf& memory, Range range)> by_dma_buf;
    std::string why_no_dma_buf;
    std::function<std::unique_ptr<Registration>(Range range)> by_address;  // what nvidia_peermem makes possible
    std::string why_no_peermem;
  };

  DeviceRoutes(device::Device& device, Ways ways) : device_(device), ways_(std::move(ways)) {}

  /// Registers a whole allocation by the first way that works. A shortage is thrown at once: it says nothing against
  /// the way. Throws RegistrationError that names both refusals.
  std::unique_ptr<Registration> register_allocation(Range range);

  /// The last reason against a way; empty while there is none.
  const std::string& refusal(DeviceRoute route) const { return refusals_[static_cast<std::size_t>(route)]; }
  /// For the doctor and explain(): "not tried yet", "dma-buf", "nvidia_peermem (dma-buf: …)", "none (dma-buf: …;
  /// nvidia_peermem: …)".
  std::string text() const;

 private:
  std::unique_ptr<Registration> try_route(DeviceRoute route, Range range);
  std::string refusals_text() const;

  device::Device& device_;
  const Ways ways_;
  std::optional<DeviceRoute> taken_;  // by the last allocation that was registered
  std::array<std::string, 2> refusals_;
  std::array<int, 2> error_numbers_{};
};

}  // namespace halyard::memory
