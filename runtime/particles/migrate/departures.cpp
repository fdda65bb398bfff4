// See departures.hpp.
#include "particles/migrate/departures.hpp"

#include <fmt/format.h>

#include <cmath>

#include "halyard/status.hpp"

namespace halyard::particles {
namespace {

// What this rank owns, as far as coordinates may be good at all: at open ends the rank's box goes on.
SpaceBox reach_of(const Standing& standing, bool is_home) {
  const Partition& partition = standing.partition;
  const ParticleDomain& domain = partition.domain();
  const Index3 parts = partition.parts_of(standing.rank);
  SpaceBox reach;
  for (std::size_t a = 0; a < 3; ++a) {
    const double most = standing.most_box_lengths * partition.length(a);
    reach.lo[a] = domain.box.lo[a] - most;
    reach.hi[a] = domain.box.hi[a] + most;
    if (!is_home) continue;
    if (domain.periodic[a] || parts[a] > 0) reach.lo[a] = partition.cut(a, parts[a]);
    if (domain.periodic[a] || parts[a] + 1 < partition.num_parts(a)) reach.hi[a] = partition.cut(a, parts[a] + 1);
  }
  return reach;
}

template <class T>
class Scan {
 public:
  Scan(const Particles& particles, const Roles& roles, const Standing& standing)
      : particles_(particles),
        roles_(roles),
        standing_(standing),
        home_(reach_of(standing, true)),
        good_(reach_of(standing, false)),
        x_(coordinates_of<T>(particles, roles)) {}

  std::optional<std::int64_t> run(Departures& departures) {
    const std::int64_t count = particles_.num_owned;
    for (std::int64_t i = 0; i < count; ++i) {
      if (is_in(home_, i)) continue;
      if (!is_in(good_, i)) return i;
      const int owner = wrap(i);
      if (owner == standing_.rank) continue;
      departures.leavers.push_back(static_cast<std::int32_t>(i));
      departures.ranks.push_back(owner);
    }
    return std::nullopt;
  }

 private:
  // False for NaN too. Bitwise: one branch per particle, not six.
  bool is_in(const SpaceBox& box, std::int64_t i) const {
    bool is_inside = true;
    for (std::size_t a = 0; a < 3; ++a) {
      const double x = static_cast<double>(x_[a][i]);
      is_inside = is_inside & (x >= box.lo[a]) & (x < box.hi[a]);
    }
    return is_inside;
  }

  int wrap(std::int64_t i) const {
    const ParticleDomain& domain = standing_.partition.domain();
    Index3 parts{};
    for (std::size_t a = 0; a < 3; ++a) {
      T x = x_[a][i];
      if (domain.periodic[a]) {
        double crossings = 0;
        x = wrapped(x, domain.box.lo[a], domain.box.hi[a], &crossings);
        x_[a].set(i, x);
        if (crossings != 0) count_crossings(i, a, crossings);
      }
      parts[a] = standing_.partition.part_of(a, static_cast<double>(x));
    }
    return standing_.partition.rank_of(parts);
  }

  void count_crossings(std::int64_t i, std::size_t axis, double crossings) const {
    if (!roles_.image) return;
    const Column<std::int32_t> image(particles_.arrays[*roles_.image], static_cast<std::int64_t>(axis));
    image.set(i, image[i] + static_cast<std::int32_t>(crossings));
  }

  const Particles& particles_;
  const Roles& roles_;
  Standing standing_;
  SpaceBox home_;
  SpaceBox good_;
  std::array<Column<T>, 3> x_;
};

}  // namespace

SpaceBox home_of(const Standing& standing) { return reach_of(standing, true); }

std::optional<std::int64_t> depart_by_position(const Particles& particles, const Roles& roles, const Standing& standing,
                                               Departures& departures) {
  departures.clear();
  const auto bad = roles.position == Scalar::f32 ? Scan<float>(particles, roles, standing).run(departures)
                                                 : Scan<double>(particles, roles, standing).run(departures);
  if (bad) departures.clear();
  return bad;
}

void depart_to(std::span<const int> destinations, const Particles& particles, int rank, int num_ranks,
               Departures& departures) {
  departures.clear();
  if (static_cast<std::int64_t>(destinations.size()) != particles.num_owned)
    throw Error(StatusCode::invalid_argument,
                fmt::format("migrate to given ranks: {} destinations for {} owned particles; give one each",
                            destinations.size(), particles.num_owned));
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const int to = destinations[i];
    if (to < 0 || to >= num_ranks) {
      departures.clear();
      throw Error(
          StatusCode::invalid_argument,
          fmt::format("migrate to given ranks: particle {} goes to rank {}; there are {} ranks", i, to, num_ranks));
    }
    if (to == rank) continue;
    departures.leavers.push_back(static_cast<std::int32_t>(i));
    departures.ranks.push_back(to);
  }
}

}  // namespace halyard::particles
