// See device_routes.hpp.
#include "memory/device_routes.hpp"

#include <cerrno>

namespace halyard::memory {
namespace {

constexpr std::array kInOrder = {DeviceRoute::dma_buf, DeviceRoute::peermem};

constexpr std::size_t index_of(DeviceRoute route) { return static_cast<std::size_t>(route); }

}  // namespace

std::string_view name_of(DeviceRoute route) { return route == DeviceRoute::dma_buf ? "dma-buf" : "nvidia_peermem"; }

std::unique_ptr<Registration> DeviceRoutes::register_allocation(Range range) {
  for (const DeviceRoute route : kInOrder) {
    auto registration = try_route(route, range);
    if (registration == nullptr) continue;
    refusals_[index_of(route)].clear();
    taken_ = route;
    return registration;
  }
  taken_.reset();
  throw RegistrationError(error_numbers_.back(), refusals_text() + "; run 'halyard doctor --check peermem'");
}

std::unique_ptr<Registration> DeviceRoutes::try_route(DeviceRoute route, Range range) {
  std::string& refusal = refusals_[index_of(route)];
  int& error_number = error_numbers_[index_of(route)];
  try {
    if (route == DeviceRoute::dma_buf && ways_.by_dma_buf)
      return ways_.by_dma_buf(device_.export_dma_buf(range.data(), range.bytes()), range);
    if (route == DeviceRoute::peermem && ways_.by_address) return ways_.by_address(range);
    refusal = route == DeviceRoute::dma_buf ? ways_.why_no_dma_buf : ways_.why_no_peermem;
    error_number = EOPNOTSUPP;
  } catch (const RegistrationError& error) {
    if (error.is_shortage()) throw;
    refusal = error.status().text();
    error_number = error.error_number();
  } catch (const Error& error) {  // of the GPU's driver
    refusal = error.status().text();
    error_number = EOPNOTSUPP;
  }
  return nullptr;
}

std::string DeviceRoutes::refusals_text() const {
  std::string text;
  for (const DeviceRoute route : kInOrder) {
    if (refusal(route).empty()) continue;
    text += (text.empty() ? "" : "; ") + std::string(name_of(route)) + ": " + refusal(route);
  }
  return text;
}

std::string DeviceRoutes::text() const {
  const std::string refusals = refusals_text();
  if (!taken_) return refusals.empty() ? "not tried yet" : "none (" + refusals + ")";
  return std::string(name_of(*taken_)) + (*taken_ == kInOrder.front() ? "" : " (" + refusals + ")");
}

}  // namespace halyard::memory
