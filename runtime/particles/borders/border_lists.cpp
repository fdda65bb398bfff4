// See border_lists.hpp.
#include "particles/borders/border_lists.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace halyard::particles {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_upward(const Index3& steps) {
  if (steps[2] != 0) return steps[2] > 0;
  if (steps[1] != 0) return steps[1] > 0;
  return steps[0] > 0;
}

Index3 opposite(const Index3& steps) { return {-steps[0], -steps[1], -steps[2]}; }

}  // namespace

BorderLists::BorderLists(const Partition& partition, int rank, const BorderOptions& options, Scalar position)
    : rank_(rank), reach_(options.reach) {
  const auto nearby = neighborhood_of(partition, rank, options.reach);
  for (std::size_t a = 0; a < 3; ++a) axes_[a] = make_axis(partition, a, nearby, position);
  make_groups(nearby, options.shell);
}

// Ghosts at exactly the reach are ghosts, also where positions are floats and shifts were rounded: hence the slack.
BorderLists::Axis BorderLists::make_axis(const Partition& partition, std::size_t axis,
                                         const std::vector<Nearby>& nearby, Scalar position) const {
  const ParticleDomain& domain = partition.domain();
  const std::int64_t part = partition.parts_of(rank_)[axis];
  const double largest =
      std::max({std::abs(domain.box.lo[axis]), std::abs(domain.box.hi[axis]), partition.length(axis)}) + reach_;
  const double slack = 4 * largest *
                       (position == Scalar::f32 ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                                : std::numeric_limits<double>::epsilon());
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (const Nearby& n : nearby) {
    lowest = std::min(lowest, n.steps[axis]);
    highest = std::max(highest, n.steps[axis]);
  }
  Axis result{{}, -kInfinity, kInfinity};
  for (std::int64_t step = lowest; step <= highest; ++step) {
    const bool is_open = !domain.periodic[axis];
    const bool is_first = is_open && part + step == 0;
    const bool is_last = is_open && part + step + 1 == partition.num_parts(axis);
    Interval interval{step, partition.cut(axis, part + step) - reach_ - slack,
                      partition.cut(axis, part + step + 1) + reach_ + slack};
    if (is_first || step == 0) interval.lo = -kInfinity;
    if (is_last || step == 0) interval.hi = kInfinity;
    result.intervals.push_back(interval);
    if (step < 0) result.inner_lo = std::max(result.inner_lo, interval.hi);
    if (step > 0) result.inner_hi = std::min(result.inner_hi, interval.lo);
  }
  return result;
}

std::size_t BorderLists::place_of(const Index3& steps) const {
  std::size_t place = 0;
  for (std::size_t a = 3; a-- > 0;) {
    const auto& intervals = axes_[a].intervals;
    place = place * intervals.size() + static_cast<std::size_t>(steps[a] - intervals.front().step);
  }
  return place;
}

// Seen from the receiver the same step points the other way, and groups come in the order of the receiver's steps.
void BorderLists::make_groups(const std::vector<Nearby>& nearby, Shell shell) {
  const auto& axes = axes_;
  group_at_.assign(axes[0].intervals.size() * axes[1].intervals.size() * axes[2].intervals.size(), -1);
  for (const Nearby& n : nearby) {
    if (to_.empty() || to_.back().rank != n.rank) {
      to_.push_back({n.rank, {}, {}, {}});
      from_.push_back({n.rank, {}});
    }
    if (shell == Shell::full || is_upward(n.steps)) from_.back().groups.push_back(n);
  }
  for (std::size_t n = nearby.size(); n-- > 0;) {
    if (shell == Shell::half && !is_upward(opposite(nearby[n].steps))) continue;
    const auto to = std::lower_bound(to_.begin(), to_.end(), nearby[n].rank,
                                     [](const BorderTo& border, int rank) { return border.rank < rank; });
    group_at_[place_of(nearby[n].steps)] = static_cast<std::int32_t>(groups_.size());
    groups_.push_back({static_cast<std::size_t>(to - to_.begin()), to->counts.size(), {}});
    to->counts.push_back(0);
    to->groups.push_back(nearby[n]);
  }
}

void BorderLists::clear() {
  for (Group& group : groups_) group.numbers.clear();
  join();
}

void BorderLists::list(const Particles& particles, const Roles& roles) {
  for (Group& group : groups_) group.numbers.clear();
  if (roles.position == Scalar::f32)
    list_as<float>(particles, roles);
  else
    list_as<double>(particles, roles);
  join();
}

void BorderLists::set_counts(std::span<const std::uint32_t> counts) {
  clear();
  auto count = counts.begin();
  for (BorderTo& to : to_)
    for (std::int64_t& of_group : to.counts) of_group = *count++;
}

template <class T>
void BorderLists::list_as(const Particles& particles, const Roles& roles) {
  const auto x = coordinates_of<T>(particles, roles);
  for (std::int64_t i = 0; i < particles.num_owned; ++i) {
    const Point3 point{static_cast<double>(x[0][i]), static_cast<double>(x[1][i]), static_cast<double>(x[2][i])};
    bool is_inner = true;
    for (std::size_t a = 0; a < 3; ++a)
      is_inner = is_inner & (point[a] > axes_[a].inner_lo) & (point[a] < axes_[a].inner_hi);
    if (!is_inner) add(static_cast<std::int32_t>(i), point);
  }
}

std::uint64_t BorderLists::steps_within_reach(std::size_t axis, double x) const {
  std::uint64_t steps = 0;
  const auto& intervals = axes_[axis].intervals;
  for (std::size_t s = 0; s < intervals.size(); ++s)
    steps |= static_cast<std::uint64_t>(x >= intervals[s].lo && x <= intervals[s].hi) << s;
  return steps;
}

void BorderLists::add(std::int32_t number, const Point3& x) {
  std::array<std::uint64_t, 3> steps{};
  for (std::size_t a = 0; a < 3; ++a) steps[a] = steps_within_reach(a, x[a]);
  const std::size_t nx = axes_[0].intervals.size();
  const std::size_t ny = axes_[1].intervals.size();
  for (std::uint64_t sz = steps[2]; sz != 0; sz &= sz - 1)
    for (std::uint64_t sy = steps[1]; sy != 0; sy &= sy - 1)
      for (std::uint64_t sx = steps[0]; sx != 0; sx &= sx - 1) {
        const auto z = static_cast<std::size_t>(std::countr_zero(sz));
        const auto y = static_cast<std::size_t>(std::countr_zero(sy));
        const std::int32_t group = group_at_[(z * ny + y) * nx + static_cast<std::size_t>(std::countr_zero(sx))];
        if (group >= 0) groups_[static_cast<std::size_t>(group)].numbers.push_back(number);
      }
}

void BorderLists::join() {
  for (BorderTo& to : to_) to.numbers.clear();
  for (const Group& group : groups_) {  // in the receivers' order
    BorderTo& to = to_[group.to];
    to.counts[group.part] = static_cast<std::int64_t>(group.numbers.size());
    to.numbers.insert(to.numbers.end(), group.numbers.begin(), group.numbers.end());
  }
}

}  // namespace halyard::particles
