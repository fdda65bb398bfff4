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
Box layer(const BenchCase& bench_case, const Index3& steps, bool inner) {
  const std::int64_t n = bench_case.cells;
  const std::int64_t w = bench_case.width;
  Box box;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::int64_t low = inner ? w : 0;
    const std::int64_t high = inner ? n : w + n;
    box.lo[a] = steps[a] == 0 ? w : (steps[a] < 0 ? low : high);
    box.hi[a] = box.lo[a] + (steps[a] == 0 ? n : w);
  }
  return box;
}

std::int64_t cells_of(const std::vector<Halo>& halos, Box Halo::*box) {
  std::int64_t cells = 0;
  for (const Halo& halo : halos) cells += (halo.*box).num_cells();
  return cells;
}

}  // namespace

Index3 Geometry::coordinates() const {
  return {rank % ranks[0], rank / ranks[0] % ranks[1], rank / (ranks[0] * ranks[1])};
}

const Halo& Geometry::halo(int direction) const {
  return halos[static_cast<std::size_t>(direction < kMiddle ? direction : direction - 1)];
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
    const int there = rank_at({here[0] + steps[0], here[1] + steps[1], here[2] + steps[2]}, ranks);
    geometry.halos.push_back({direction, there, layer(bench_case, steps, true), layer(bench_case, steps, false)});
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
