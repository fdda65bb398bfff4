// Registrar: memory made known to one RDMA device, host memory or a GPU's. Called by the registration cache of a rail
// only.
#pragma once

#include <optional>
#include <string>

#include "memory/device_routes.hpp"
#include "memory/registrar.hpp"
#include "transport/verbs/handles.hpp"

namespace halyard::transport::verbs {

class Registration : public memory::Registration {
 public:
  Registration(std::byte* base, std::size_t bytes, MemoryRegion region);

  std::uint32_t local_key() const { return region_->lkey; }
  std::uint32_t remote_key() const { return region_->rkey; }

  /// Made so far, by all rails of this process.
  static std::uint64_t num_made();

 private:
  MemoryRegion region_;
};

class Registrar final : public memory::Registrar {
 public:
  /// `name` is the port's, for texts. `device` may be null. Both it and the protection domain must outlive the
  /// registrar.
  Registrar(ibv_pd& domain, std::string name, device::Device* device);

  std::string name() const override { return "verbs on " + name_; }
  std::unique_ptr<memory::Registration> register_range(std::byte* base, std::size_t bytes,
                                                       memory::MemoryKind kind) override;

 private:
  ibv_pd& domain_;
  std::string name_;
  std::optional<memory::DeviceRoutes> routes_;  // for GPU memory
};

}  // namespace halyard::transport::verbs
