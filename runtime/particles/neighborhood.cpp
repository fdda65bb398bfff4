// See neighborhood.hpp.
#include "particles/neighborhood.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "halyard/status.hpp"

namespace halyard::particles {
namespace {

bool exists(const Partition& partition, std::size_t axis, std::int64_t part) {
  return partition.domain().periodic[axis] || (part >= 0 && part < partition.num_parts(axis));
}

// The longest reach that kMostSteps hold, for the refusal.
double longest_reach(const Partition& partition, std::size_t axis) {
  double longest = partition.gap(axis, 0, kMostSteps + 1);
  for (std::int64_t part = 1; part < partition.num_parts(axis); ++part)
    longest = std::min(longest, partition.gap(axis, part, kMostSteps + 1));
  return longest;
}

std::vector<std::int64_t> steps_on(const Partition& partition, std::size_t axis, std::int64_t part, double reach) {
  std::vector<std::int64_t> steps{0};
  for (const std::int64_t way : {-1, 1})
    for (std::int64_t n = 1;; ++n) {
      const std::int64_t step = way * n;
      if (!exists(partition, axis, part + step) || partition.gap(axis, part, step) > reach) break;
      if (n > kMostSteps)
        throw Error(StatusCode::invalid_argument,
                    fmt::format("list borders: a reach of {} goes over more than {} parts of axis {}; at most {} here, "
                                "or cut the axis into fewer parts",
                                reach, kMostSteps, axis, longest_reach(partition, axis)));
      steps.push_back(step);
    }
  return steps;
}

bool comes_before(const Nearby& a, const Nearby& b) {
  return std::tie(a.rank, a.steps[2], a.steps[1], a.steps[0]) < std::tie(b.rank, b.steps[2], b.steps[1], b.steps[0]);
}

Nearby nearby_at(const Partition& partition, const Index3& parts, const Index3& steps) {
  Nearby nearby;
  nearby.steps = steps;
  Index3 home{};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::int64_t part = parts[a] + steps[a];
    home[a] = home_of(part, partition.num_parts(a));
    nearby.shift[a] = static_cast<double>(image_of(part, partition.num_parts(a))) * partition.length(a);
  }
  nearby.rank = partition.rank_of(home);
  return nearby;
}

}  // namespace

std::vector<Nearby> neighborhood_of(const Partition& partition, int rank, double reach) {
  const Index3 parts = partition.parts_of(rank);
  std::array<std::vector<std::int64_t>, 3> steps;
  for (std::size_t a = 0; a < 3; ++a) steps[a] = steps_on(partition, a, parts[a], reach);
  std::vector<Nearby> all;
  for (const std::int64_t z : steps[2])
    for (const std::int64_t y : steps[1])
      for (const std::int64_t x : steps[0])
        if (x != 0 || y != 0 || z != 0) all.push_back(nearby_at(partition, parts, {x, y, z}));
  std::sort(all.begin(), all.end(), comes_before);
  return all;
}

std::vector<int> adjacent_ranks(const Partition& partition, int rank) {
  const Index3 parts = partition.parts_of(rank);
  std::set<int> ranks;
  for (std::int64_t z = -1; z <= 1; ++z)
    for (std::int64_t y = -1; y <= 1; ++y)
      for (std::int64_t x = -1; x <= 1; ++x) {
        if (!exists(partition, 0, parts[0] + x) || !exists(partition, 1, parts[1] + y) ||
            !exists(partition, 2, parts[2] + z))
          continue;
        ranks.insert(nearby_at(partition, parts, {x, y, z}).rank);
      }
  ranks.erase(rank);
  return {ranks.begin(), ranks.end()};
}

}  // namespace halyard::particles
