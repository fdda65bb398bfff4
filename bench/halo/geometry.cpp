// Boxes and neighbors of one rank of the halo bench; see geometry.hpp.
#include "halo/geometry.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace halyard::bench {
namespace {

constexpr int kMiddle = kNumDirections / 2;

Index3 steps_of(int direction) { return {direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1}; }

int rank_at(const Index3& coordinates, const Index3& ranks) {
  Index3 at;
  for (std::size_t a = 0; a < 3; ++a) at[a] = (coordinates[a] + ranks[a]) % ranks[a];
  return static_cast<int>(at[0] + ranks[0] * (at[1] + ranks[1] * at[2]));
}

/// The layer of `width` cells on one side of each axis: `inner` of the owned cells, otherwise of
/// the ghosts.
Box layer(const Geometry& geometry, const Index3& steps, bool inner) {
  const std::int64_t n = geometry.bench_case.cells;
  Box box;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::int64_t w = geometry.widths()[a];
    const std::int64_t low = inner ? w : 0;
    const std::int64_t high = inner ? n : w + n;
    box.lo[a] = steps[a] == 0 ? w : (steps[a] < 0 ? low : high);
    box.hi[a] = box.lo[a] + (steps[a] == 0 ? n : w);
  }
  return box;
}

/// A direction that leaves the owned cells across ghosts of this case.
bool has_ghosts(const Geometry& geometry, const Index3& steps) {
  const Index3 widths = geometry.widths();
  for (std::size_t a = 0; a < 3; ++a)
    if (steps[a] != 0 && widths[a] == 0) return false;
  return true;
}

std::int64_t cells_of(const std::vector<Halo>& halos, Box Halo::*box) {
  std::int64_t cells = 0;
  for (const Halo& halo : halos) cells += (halo.*box).num_cells();
  return cells;
}

}  // namespace

Index3 Geometry::widths() const {
  if (bench_case.axis == kAllAxes) return {bench_case.width, bench_case.width, bench_case.width};
  Index3 widths{0, 0, 0};
  widths[static_cast<std::size_t>(bench_case.axis)] = bench_case.width;
  return widths;
}

Index3 Geometry::extents() const {
  Index3 extents = widths();
  for (std::int64_t& extent : extents) extent = bench_case.cells + 2 * extent;
  return extents;
}

std::int64_t Geometry::array_cells() const {
  const Index3 m = extents();
  return m[0] * m[1] * m[2];
}

Index3 Geometry::coordinates() const {
  return {rank % ranks[0], rank / ranks[0] % ranks[1], rank / (ranks[0] * ranks[1])};
}

const Halo& Geometry::halo(int direction) const {
  return *std::find_if(halos.begin(), halos.end(), [&](const Halo& halo) { return halo.direction == direction; });
}

std::int64_t Geometry::bytes() const {
  return cells_of(halos, &Halo::ghosts) * static_cast<std::int64_t>(sizeof(double)) * bench_case.fields;
}

Geometry make_geometry(const BenchCase& bench_case, const Index3& ranks, int rank) {
  Geometry geometry{bench_case, ranks, rank, {}};
  const Index3 here = geometry.coordinates();
  for (int direction = 0; direction < kNumDirections; ++direction) {
    if (direction == kMiddle) continue;
    const Index3 steps = steps_of(direction);
    if (!has_ghosts(geometry, steps)) continue;
    const int there = rank_at({here[0] + steps[0], here[1] + steps[1], here[2] + steps[2]}, ranks);
    geometry.halos.push_back({direction, there, layer(geometry, steps, true), layer(geometry, steps, false)});
  }
  return geometry;
}

std::int64_t Peer::send_cells() const { return cells_of(sends, &Halo::border); }
std::int64_t Peer::receive_cells() const { return cells_of(receives, &Halo::ghosts); }

std::vector<Peer> peers_of(const Geometry& geometry) {
  std::set<int> ranks;
  for (const Halo& halo : geometry.halos) ranks.insert(halo.rank);
  ranks.erase(geometry.rank);
  std::vector<Peer> peers;
  for (const int rank : ranks) {
    Peer peer{rank, {}, {}};
    for (const Halo& halo : geometry.halos)
      if (halo.rank == rank) peer.sends.push_back(halo);
    peer.receives.assign(peer.sends.rbegin(),
                         peer.sends.rend());  // the sender's ascending is our descending
    peers.push_back(std::move(peer));
  }
  return peers;
}

}  // namespace halyard::bench
