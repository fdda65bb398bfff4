// DeviceDepartures: who leaves, for particles in GPU memory: kernels find those outside this rank's box and bring their
// records to the host, which waits once. Only these few are wrapped and judged there, by the code that judges particles
// in host memory, and positions written back. Of those that leave nothing more needs to be brought.
//
// Owned by MigratorCore; one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "particles/device/mirror.hpp"
#include "particles/device/searching.hpp"
#include "particles/migrate/departures.hpp"

namespace halyard::particles {

class DeviceDepartures {
 public:
  /// Records of those outside come to `records`. Throws Error(out_of_resources).
  DeviceDepartures(std::shared_ptr<const device::OnGpu> on_gpu, std::shared_ptr<device::Mirror> records)
      : searching_(on_gpu, 1), records_(std::move(records)) {}

  /// As depart_by_position(); says which rows of the records leave. What is written back is only enqueued. Throws
  /// Error.
  std::optional<std::int64_t> find(const Particles& particles, const Roles& roles, const Standing& standing,
                                   Departures& departures);

 private:
  std::int64_t bring_those_outside(const Particles& particles, const Roles& roles, const Standing& standing);

  device::Searching searching_;
  std::shared_ptr<device::Mirror> records_;
};

}  // namespace halyard::particles
