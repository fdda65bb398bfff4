// See device_departures.hpp.
#include "particles/migrate/gpu/device_departures.hpp"

namespace halyard::particles {

std::int64_t DeviceDepartures::bring_those_outside(const Particles& particles, const Roles& roles,
                                                   const Standing& standing) {
  device::Outside search;
  search.x = device::coordinates_on_gpu(particles, roles);
  const SpaceBox home = home_of(standing);
  for (std::size_t a = 0; a < 3; ++a) {
    search.lo[a] = home.lo[a];
    search.hi[a] = home.hi[a];
  }
  const device::Selection& found = searching_.selection();
  return searching_.run(search, particles.num_owned, [&] {
    records_->begin_to_take(particles, roles, roles.migrating, found.capacity, found.numbers, found.first + 1);
  });
}

std::optional<std::int64_t> DeviceDepartures::find(const Particles& particles, const Roles& roles,
                                                   const Standing& standing, Departures& departures) {
  departures.clear();
  if (particles.num_owned == 0) return std::nullopt;
  const std::int64_t total = bring_those_outside(particles, roles, standing);
  if (total == 0) return std::nullopt;
  const auto bad = depart_by_position(records_->taken(total), roles, standing, departures);
  if (bad) return records_->numbers()[*bad];
  records_->put_back(particles, roles, device::position_arrays(roles, {roles.image}));
  departures.rows = departures.leavers;
  for (std::int32_t& leaver : departures.leavers) leaver = records_->numbers()[leaver];
  return std::nullopt;
}

}  // namespace halyard::particles
