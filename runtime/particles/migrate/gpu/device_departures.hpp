// DeviceDepartures: who leaves, for particles in GPU memory: a kernel finds those outside this rank's box; only these
// few are wrapped and judged on the host, by the code that judges particles in host memory, and written back.
//
// Owned by MigratorCore; one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "particles/device/mirror.hpp"
#include "particles/migrate/departures.hpp"

namespace halyard::particles {

class DeviceDepartures {
 public:
  explicit DeviceDepartures(std::shared_ptr<const device::OnGpu> on_gpu) : on_gpu_(on_gpu), outside_(on_gpu) {}

  /// As depart_by_position(). Throws Error.
  std::optional<std::int64_t> find(const Particles& particles, const Roles& roles, const Standing& standing,
                                   Departures& departures);

 private:
  std::int64_t list_outside(const Particles& particles, const Roles& roles, const Standing& standing);
  std::int32_t* numbers() const { return reinterpret_cast<std::int32_t*>(numbers_.get()); }

  std::shared_ptr<const device::OnGpu> on_gpu_;
  device::Mirror outside_;
  exchange::gpu::GpuRoom counts_;
  exchange::gpu::MappedRoom sums_;     // total, first
  exchange::gpu::MappedRoom numbers_;  // of those outside
};

}  // namespace halyard::particles
