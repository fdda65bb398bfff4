// See partition.hpp.
#include "particles/partition.hpp"

#include <algorithm>
#include <cstdlib>

namespace halyard::particles {
namespace {

std::vector<double> cuts_of(const ParticleDomain& domain, std::size_t axis) {
  if (!domain.cuts[axis].empty()) return domain.cuts[axis];
  const std::int64_t parts = domain.ranks[axis];
  const double length = domain.box.hi[axis] - domain.box.lo[axis];
  std::vector<double> cuts;
  for (std::int64_t i = 0; i < parts; ++i)
    cuts.push_back(std::min(domain.box.lo[axis] + length * (static_cast<double>(i) / static_cast<double>(parts)),
                            domain.box.hi[axis]));
  cuts.push_back(domain.box.hi[axis]);
  return cuts;
}

}  // namespace

Partition::Partition(const ParticleDomain& domain) : domain_(domain) {
  for (std::size_t a = 0; a < 3; ++a) {
    cuts_[a] = cuts_of(domain, a);
    parts_per_length_[a] = static_cast<double>(domain.ranks[a]) / length(a);
  }
}

double Partition::cut(std::size_t axis, std::int64_t part) const {
  const std::int64_t count = num_parts(axis);
  if (part >= 0 && part <= count) return cuts_[axis][static_cast<std::size_t>(part)];
  return cuts_[axis][static_cast<std::size_t>(home_of(part, count))] +
         static_cast<double>(image_of(part, count)) * length(axis);
}

double Partition::gap(std::size_t axis, std::int64_t part, std::int64_t steps) const {
  const std::int64_t lower = home_of(steps > 0 ? part : part + steps, num_parts(axis));
  return cut(axis, lower + std::abs(steps)) - cut(axis, lower + 1);
}

// A guess by even cuts, then steps to where it is.
std::int64_t Partition::part_of(std::size_t axis, double x) const {
  const auto& cuts = cuts_[axis];
  const std::int64_t last = num_parts(axis) - 1;
  const double guess = (x - cuts.front()) * parts_per_length_[axis];
  std::int64_t part = 0;
  if (guess >= static_cast<double>(last))
    part = last;
  else if (guess > 0)
    part = static_cast<std::int64_t>(guess);
  while (part > 0 && x < cuts[static_cast<std::size_t>(part)]) --part;
  while (part < last && x >= cuts[static_cast<std::size_t>(part + 1)]) ++part;
  return part;
}

Index3 Partition::parts_of(int rank) const {
  const Index3& ranks = domain_.ranks;
  return {rank % ranks[0], rank / ranks[0] % ranks[1], rank / (ranks[0] * ranks[1])};
}

int Partition::rank_of(const Index3& parts) const {
  const Index3& ranks = domain_.ranks;
  return static_cast<int>(parts[0] + ranks[0] * (parts[1] + ranks[1] * parts[2]));
}

SpaceBox Partition::box_of(int rank) const {
  const Index3 parts = parts_of(rank);
  SpaceBox box;
  for (std::size_t a = 0; a < 3; ++a) {
    box.lo[a] = cut(a, parts[a]);
    box.hi[a] = cut(a, parts[a] + 1);
  }
  return box;
}

int Partition::owner_of(const Point3& position) const {
  Index3 parts{};
  for (std::size_t a = 0; a < 3; ++a) parts[a] = part_of(a, position[a]);
  return rank_of(parts);
}

}  // namespace halyard::particles
