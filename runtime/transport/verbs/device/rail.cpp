// See rail.hpp.
#include "transport/verbs/device/rail.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "halyard/status.hpp"
#include "transport/verbs/device/gid_table.hpp"

namespace halyard::transport::verbs {
namespace {

[[noreturn]] void refuse(const std::string& name, const char* call, int error) {
  throw Error(StatusCode::not_supported,
              fmt::format("open RDMA port {}: {}: {}; try 'ibv_devinfo -d {}'", name, call,
                          std::strerror(error == 0 ? EIO : error), name.substr(0, name.find(':'))));
}

// A device takes milliseconds to open, so the one that was looked at is used, by one rail: each has its own events.
DeviceContext opened(const PortFacts& port) {
  const bool is_open = port.opened != nullptr && *port.opened != nullptr;
  DeviceContext context = is_open ? std::move(*port.opened) : open_device(port.device);
  // Asynchronous events are looked for and never waited for.
  const int flags = fcntl(context->async_fd, F_GETFL);
  fcntl(context->async_fd, F_SETFL, flags | O_NONBLOCK);
  return context;
}

ProtectionDomain domain_of(ibv_context* context, const std::string& name) {
  errno = 0;
  ProtectionDomain domain(ibv_alloc_pd(context));
  if (domain == nullptr) refuse(name, "ibv_alloc_pd", errno);
  return domain;
}

ibv_device_attr device_attributes(ibv_context* context, const std::string& name) {
  ibv_device_attr attributes{};
  if (const int error = ibv_query_device(context, &attributes); error != 0) refuse(name, "ibv_query_device", error);
  return attributes;
}

ibv_port_attr port_attributes(ibv_context* context, std::uint8_t port, const std::string& name) {
  ibv_port_attr attributes{};
  if (const int error = ibv_query_port(context, port, &attributes); error != 0) refuse(name, "ibv_query_port", error);
  return attributes;
}

}  // namespace

int bytes_of(ibv_mtu mtu) { return 128 << static_cast<int>(mtu); }

Rail::Rail(const PortFacts& port, const Settings& settings)
    : name_(name_of(port)),
      port_(static_cast<std::uint8_t>(port.port)),
      context_(opened(port)),
      device_(device_attributes(context_.get(), name_)),
      attributes_(port_attributes(context_.get(), port_, name_)),
      gid_(gid_of_port(settings)),
      domain_(domain_of(context_.get(), name_)),
      gpu_(settings.device),
      registrar_(*domain_, name_, gpu_.get()),
      cache_(registrar_, settings.registrations, gpu_.get()) {}

GidRow Rail::gid_of_port(const Settings& settings) const {
  const auto rows = read_gids(context_.get(), port_, attributes_.gid_tbl_len);
  if (settings.options.gid >= 0) return gid_at(rows, settings.options.gid);
  if (const auto row = choose_gid(rows)) return *row;
  if (!is_ethernet()) return {};  // addressed by its LID
  throw Error(StatusCode::not_supported,
              fmt::format("open RDMA port {}: none of its {} GIDs can be used; give its network interface an address",
                          name_, attributes_.gid_tbl_len));
}

std::string Rail::describe() const {
  return fmt::format("{}, {}, MTU {}", name_, is_ethernet() ? text_of(gid_) : fmt::format("LID {}", attributes_.lid),
                     bytes_of(attributes_.active_mtu));
}

Fabric Rail::fabric() const { return is_ethernet() ? Fabric::ethernet : Fabric::infiniband; }

std::string Rail::trouble() {
  const std::lock_guard lock(trouble_mutex_);
  ibv_async_event event{};
  while (ibv_get_async_event(context_.get(), &event) == 0) {
    const ibv_event_type type = event.event_type;
    if (type == IBV_EVENT_PORT_ERR || type == IBV_EVENT_DEVICE_FATAL)
      trouble_ = fmt::format("{}: {}", name_, ibv_event_type_str(type));
    if (type == IBV_EVENT_PORT_ACTIVE) trouble_.clear();
    ibv_ack_async_event(&event);
  }
  return trouble_;
}

}  // namespace halyard::transport::verbs
