// See system.hpp.
#include "particles/system.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

namespace halyard::bench {
namespace {

constexpr double kDensity = 0.8442;

std::uint64_t mixed(std::uint64_t z) {  // splitmix64
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

System make_system(MPI_Comm comm, std::int64_t owned, double reach) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  System system;
  system.reach = reach;
  // A lattice of n sites a side holds the particles; the first `owned` sites of it are taken.
  const auto side = static_cast<std::int64_t>(std::ceil(std::cbrt(static_cast<double>(owned)) - 1e-9));
  const double length = std::cbrt(static_cast<double>(owned) / kDensity);
  const auto grid = ParticleDomain::balanced({{0, 0, 0}, {1, 1, 1}}, {true, true, true}, size).ranks;
  system.domain = {{{0, 0, 0}, {}}, {true, true, true}, grid, {}};
  for (std::size_t a = 0; a < 3; ++a) system.domain.box.hi[a] = length * static_cast<double>(grid[a]);
  const SpaceBox own = system.domain.box_of(rank);
  std::mt19937_64 random(static_cast<std::uint64_t>(rank) + 7);
  std::uniform_real_distribution<double> jitter(0.1, 0.9);
  std::normal_distribution<double> speed;
  const double spacing = length / static_cast<double>(side);
  for (std::int64_t i = 0; i < owned; ++i) {
    const Index3 site{i % side, i / side % side, i / (side * side)};
    Particle particle;
    for (std::size_t a = 0; a < 3; ++a) {
      particle.position[a] = std::min(own.lo[a] + (static_cast<double>(site[a]) + jitter(random)) * spacing,
                                      std::nextafter(own.hi[a], own.lo[a]));
      particle.velocity[a] = speed(random);
    }
    particle.id = rank * owned + i;
    system.mine.push_back(particle);
  }
  return system;
}

bool leaves(std::int64_t id, double fraction, int round) {
  const std::uint64_t draw = mixed(static_cast<std::uint64_t>(id) * 1'000'003 + static_cast<std::uint64_t>(round));
  return static_cast<double>(draw >> 11) * 0x1p-53 < fraction;
}

std::size_t cut_axis(const ParticleDomain& domain) {
  std::size_t axis = 2;
  for (std::size_t a = 3; a-- > 0;)
    if (domain.ranks[a] > domain.ranks[axis]) axis = a;
  return axis;
}

std::uint64_t code_of(const Point3& position, std::uint64_t with) {
  std::uint64_t code = with;
  for (const double x : position) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof(bits));
    code = mixed(code ^ bits);
  }
  return code;
}

}  // namespace halyard::bench
