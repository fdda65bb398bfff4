// See ghosts.hpp.
#include "particles/ghosts.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace halyard::test {
namespace {

struct Seen {
  Point3 position;
  bool is_found = false;
};

// How many box lengths an image within reach may be away.
std::int64_t most_images(const ParticleDomain& domain, double reach, std::size_t axis) {
  return domain.periodic[axis] ? 1 + static_cast<std::int64_t>(reach / (domain.box.hi[axis] - domain.box.lo[axis])) : 0;
}

template <class Visit>
void for_each_image(const ParticleDomain& domain, double reach, const Visit& visit) {
  Index3 most{};
  Index3 n{};
  for (std::size_t a = 0; a < 3; ++a) most[a] = most_images(domain, reach, a);
  for (n[2] = -most[2]; n[2] <= most[2]; ++n[2])
    for (n[1] = -most[1]; n[1] <= most[1]; ++n[1])
      for (n[0] = -most[0]; n[0] <= most[0]; ++n[0]) {
        Point3 shift{};
        for (std::size_t a = 0; a < 3; ++a)
          shift[a] = static_cast<double>(n[a]) * (domain.box.hi[a] - domain.box.lo[a]);
        visit(n, shift);
      }
}

// How far a point lies outside a rank's box, on the axis on which it is furthest; open ends go on for ever.
double outside(const ParticleDomain& domain, int rank, const Point3& p) {
  const SpaceBox box = domain.box_of(rank);
  double most = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    const bool is_first = !domain.periodic[a] && box.lo[a] == domain.box.lo[a];
    const bool is_last = !domain.periodic[a] && box.hi[a] == domain.box.hi[a];
    if (!is_first) most = std::max(most, box.lo[a] - p[a]);
    if (!is_last) most = std::max(most, p[a] - box.hi[a]);
  }
  return most;
}

Point3 shifted(const Point3& p, const Point3& shift, bool is_float) {
  Point3 result{};
  for (std::size_t a = 0; a < 3; ++a)
    result[a] =
        is_float ? static_cast<double>(static_cast<float>(p[a]) + static_cast<float>(shift[a])) : p[a] + shift[a];
  return result;
}

std::string text(const Point3& p) {
  return "(" + std::to_string(p[0]) + ", " + std::to_string(p[1]) + ", " + std::to_string(p[2]) + ")";
}

double distance(const Point3& a, const Point3& b) {
  return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

}  // namespace

std::vector<Owned> everybody(MPI_Comm comm, const Gas& gas) {
  const Gas::Bulk bulk(gas);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<Owned> mine;
  for (std::int64_t i = 0; i < gas.set().num_owned; ++i) mine.push_back({gas.id(i), rank, gas.position(i)});
  return gathered(comm, mine);
}

std::string wrong_ghosts(const std::vector<Owned>& all, const ParticleDomain& domain, const Gas& gas,
                         const Borders& borders, int rank) {
  constexpr double kSlack = 1e-4;  // ghosts a little beyond the reach are allowed, missing ones within it are not
  const Gas::Bulk bulk(gas);
  std::map<std::pair<std::int64_t, Point3>, bool> held;  // by id and place: needed or not
  std::int64_t count = 0;
  for (const GhostGroup& group : borders.groups())
    for (std::int64_t i = group.first; i < group.first + group.count; ++i, ++count)
      if (!held.insert({{gas.id(i), gas.position(i)}, false}).second)
        return "ghost " + std::to_string(i) + " with id " + std::to_string(gas.id(i)) + " is there twice";
  if (count != borders.num_ghosts()) return "groups do not add up";
  std::string wrong;
  for (const Owned& particle : all)
    for_each_image(domain, borders.reach(), [&](const Index3& image, const Point3& shift) {
      if (particle.owner == rank && image == Index3{0, 0, 0}) return;
      const Point3 p = shifted(particle.position, shift, gas.is_float());
      const double out = outside(domain, rank, p);
      const auto found = held.find({particle.id, p});
      if (found != held.end()) {
        found->second = true;
        if (out > borders.reach() + kSlack) wrong = "ghost with id " + std::to_string(particle.id) + " is out of reach";
      } else if (out <= borders.reach()) {
        wrong = "no ghost with id " + std::to_string(particle.id) + " at " + text(p) + ", " + std::to_string(out) +
                " from the box";
      }
    });
  for (const auto& [key, is_needed] : held)
    if (!is_needed && wrong.empty())
      wrong = "a ghost with id " + std::to_string(key.first) + " at " + text(key.second) + " is nobody's image";
  return wrong;
}

std::string wrong_pairs(MPI_Comm comm, const ParticleDomain& domain, const Gas& gas, const Borders& borders,
                        Shell shell) {
  const Gas::Bulk bulk(gas);
  // Pairs that this rank sees, half of one and half of the other.
  std::int64_t seen = 0;
  const std::int64_t owned = gas.set().num_owned;
  const std::int64_t end = borders.first_ghost() + borders.num_ghosts();
  for (std::int64_t i = 0; i < owned; ++i) {
    for (std::int64_t j = i + 1; j < owned; ++j)
      seen += distance(gas.position(i), gas.position(j)) < borders.reach() ? 2 : 0;
    for (std::int64_t j = borders.first_ghost(); j < end; ++j)
      seen += distance(gas.position(i), gas.position(j)) < borders.reach() ? (shell == Shell::full ? 1 : 2) : 0;
  }
  MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_INT64_T, MPI_SUM, comm);
  const auto all = everybody(comm, gas);
  std::int64_t expected = 0;
  for (const Owned& a : all)
    for (const Owned& b : all)
      for_each_image(domain, borders.reach(), [&](const Index3& image, const Point3& shift) {
        if (a.id == b.id && image == Index3{0, 0, 0}) return;
        expected += distance(a.position, shifted(b.position, shift, gas.is_float())) < borders.reach() ? 1 : 0;
      });
  return seen == expected ? "" : std::to_string(seen) + " half pairs instead of " + std::to_string(expected);
}

}  // namespace halyard::test
