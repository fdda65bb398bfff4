// Rail: one port of one RDMA device, opened: its protection domain, its registrations, the address that peers reach it
// by. A worker has one, or several to spread large messages over.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "memory/cache.hpp"
#include "transport/verbs/device/gid.hpp"
#include "transport/verbs/device/ports.hpp"
#include "transport/verbs/factory.hpp"
#include "transport/verbs/registrar.hpp"

namespace halyard::transport::verbs {

class Rail {
 public:
  /// Throws Error.
  Rail(const PortFacts& port, const Settings& settings);
  Rail(const Rail&) = delete;
  Rail& operator=(const Rail&) = delete;

  ibv_context* context() const { return context_.get(); }
  ibv_pd* domain() const { return domain_.get(); }
  memory::Cache& cache() { return cache_; }
  Registrar& registrar() { return registrar_; }

  std::uint8_t port() const { return port_; }
  const std::string& name() const { return name_; }  // "rxe0:1"
  bool is_ethernet() const { return attributes_.link_layer == IBV_LINK_LAYER_ETHERNET; }
  std::uint16_t lid() const { return attributes_.lid; }
  const GidRow& gid() const { return gid_; }
  ibv_mtu mtu() const { return attributes_.active_mtu; }
  int max_completions() const { return device_.max_cqe; }
  int max_pieces() const { return device_.max_sge; }  // of one write

  /// "rxe0:1, RoCE v2 GID 1 (10.77.0.1), MTU 4096"
  std::string describe() const;
  Fabric fabric() const;

  /// Slow path: what the device has to say of its own accord, e.g. "rxe0:1: port error"; empty when nothing is wrong.
  std::string trouble();

 private:
  GidRow gid_of_port(const Settings& settings) const;

  std::string name_;
  std::uint8_t port_;
  DeviceContext context_;
  ibv_device_attr device_{};
  ibv_port_attr attributes_{};
  GidRow gid_;
  ProtectionDomain domain_;
  std::shared_ptr<device::Device> gpu_;  // may be null
  Registrar registrar_;
  memory::Cache cache_;
  std::mutex trouble_mutex_;  // bindings in several threads may ask
  std::string trouble_;
};

int bytes_of(ibv_mtu mtu);

}  // namespace halyard::transport::verbs
