// See departures.hpp.
#include "particles/migrate/departures.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "halyard/status.hpp"
#include "particles/blocks/blocks.hpp"

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
        own_parts_(standing.partition.parts_of(standing.rank)),
        home_(reach_of(standing, true)),
        good_(reach_of(standing, false)),
        x_(coordinates_of<T>(particles, roles)) {}

  std::optional<std::int64_t> run(Departures& departures) {
    const Bounds<T> home(home_);
    std::optional<std::int64_t> bad;
    Blocks<T>(x_).each(particles_.num_owned, [&](std::int64_t first, std::size_t count, const T* x) {
      std::uint64_t mask = outside(x, home);
      if (count < kBlock) mask &= (std::uint64_t{1} << count) - 1;
      for (; mask != 0 && !bad; mask &= mask - 1) bad = look_at(first + std::countr_zero(mask), departures);
      return !bad;
    });
    return bad;
  }

 private:
  // Answers i when its coordinates are bad.
  std::optional<std::int64_t> look_at(std::int64_t i, Departures& departures) const {
    if (!is_good(i)) return i;
    const int owner = wrap(i);
    if (owner == standing_.rank) return std::nullopt;
    departures.leavers.push_back(static_cast<std::int32_t>(i));
    departures.ranks.push_back(owner);
    return std::nullopt;
  }

  // False for NaN too.
  bool is_good(std::int64_t i) const {
    bool is_in = true;
    for (std::size_t a = 0; a < 3; ++a) {
      const double x = static_cast<double>(x_[a][i]);
      is_in = is_in & (x >= good_.lo[a]) & (x < good_.hi[a]);
    }
    return is_in;
  }

  // On the axes on which the particle is at home its part is this rank's, and nothing is to be wrapped.
  int wrap(std::int64_t i) const {
    Index3 parts = own_parts_;
    for (std::size_t a = 0; a < 3; ++a) {
      const double x = static_cast<double>(x_[a][i]);
      if (x < home_.lo[a] || x >= home_.hi[a]) parts[a] = part_after_wrapping(i, a);
    }
    return standing_.partition.rank_of(parts);
  }

  std::int64_t part_after_wrapping(std::int64_t i, std::size_t axis) const {
    const ParticleDomain& domain = standing_.partition.domain();
    T x = x_[axis][i];
    if (domain.periodic[axis]) {
      double crossings = 0;
      x = wrapped(x, domain.box.lo[axis], domain.box.hi[axis], &crossings);
      x_[axis].set(i, x);
      if (crossings != 0) count_crossings(i, axis, crossings);
    }
    return standing_.partition.part_of(axis, static_cast<double>(x));
  }

  void count_crossings(std::int64_t i, std::size_t axis, double crossings) const {
    if (!roles_.image) return;
    const Column<std::int32_t> image(particles_.arrays[*roles_.image], static_cast<std::int64_t>(axis));
    image.set(i, image[i] + static_cast<std::int32_t>(crossings));
  }

  const Particles& particles_;
  const Roles& roles_;
  Standing standing_;
  Index3 own_parts_;
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
