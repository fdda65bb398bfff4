// See device_departures.hpp.
#include "particles/migrate/gpu/device_departures.hpp"

namespace halyard::particles {

std::int64_t DeviceDepartures::list_outside(const Particles& particles, const Roles& roles, const Standing& standing) {
  const auto& device = on_gpu_->around.device;
  device::Outside search;
  search.x = device::coordinates_on_gpu(particles, roles);
  const SpaceBox home = home_of(standing);
  for (std::size_t a = 0; a < 3; ++a) {
    search.lo[a] = home.lo[a];
    search.hi[a] = home.hi[a];
  }
  auto* sums = reinterpret_cast<std::uint32_t*>(sums_.fit(device, on_gpu_->ordinal, 2 * sizeof(std::uint32_t)));
  device::Selection selection;
  selection.num_particles = particles.num_owned;
  selection.num_groups = 1;
  selection.num_segments = static_cast<std::uint32_t>((particles.num_owned + device::kSegment - 1) / device::kSegment);
  selection.counts = reinterpret_cast<std::uint32_t*>(
      counts_.fit(device, on_gpu_->ordinal, selection.num_segments * sizeof(std::uint32_t)));
  selection.totals = sums;
  selection.first = sums + 1;  // 0
  sums[1] = 0;
  device::count(on_gpu_->gpu(), search, selection).or_throw();
  on_gpu_->synchronize();
  const std::int64_t total = sums[0];
  if (total == 0) return 0;  // nothing may be left in the stream: the arrays may grow before anybody waits again
  selection.numbers = reinterpret_cast<std::int32_t*>(
      numbers_.fit(device, on_gpu_->ordinal, static_cast<std::size_t>(total) * sizeof(std::int32_t)));
  device::list(on_gpu_->gpu(), search, selection).or_throw();
  return total;
}

std::optional<std::int64_t> DeviceDepartures::find(const Particles& particles, const Roles& roles,
                                                   const Standing& standing, Departures& departures) {
  departures.clear();
  if (particles.num_owned == 0) return std::nullopt;
  const std::int64_t total = list_outside(particles, roles, standing);
  if (total == 0) return std::nullopt;
  const auto arrays = device::position_arrays(roles, {roles.image});
  const Particles& some = outside_.take(particles, roles, arrays, total, numbers());
  const auto bad = depart_by_position(some, roles, standing, departures);
  if (bad) return numbers()[*bad];
  outside_.put_back(particles, roles);
  for (std::int32_t& leaver : departures.leavers) leaver = numbers()[leaver];
  return std::nullopt;
}

}  // namespace halyard::particles
