// See border_lists.hpp.
#include "particles/borders/border_lists.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "particles/blocks/blocks.hpp"

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
  cut_axes();
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
  group_at_.assign(axes_[0].intervals.size() * axes_[1].intervals.size() * axes_[2].intervals.size(), -1);
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
    groups_.push_back({static_cast<std::size_t>(to - to_.begin()), to->counts.size()});
    to->counts.push_back(0);
    to->groups.push_back(nearby[n]);
  }
}

// A segment begins where an interval does, and right behind the end of one, which belongs to it.
void BorderLists::cut_axes() {
  std::size_t num_cells = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    std::vector<double>& ends = ends_[a];
    for (const Interval& interval : axes_[a].intervals) {
      if (interval.lo > -kInfinity) ends.push_back(interval.lo);
      if (interval.hi < kInfinity) ends.push_back(std::nextafter(interval.hi, kInfinity));
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    num_cells *= ends.size() + 1;
  }
  cell_at_.assign(num_cells, -1);
  cells_.resize(1);
}

std::uint64_t BorderLists::steps_within_reach(std::size_t axis, double x) const {
  std::uint64_t steps = 0;
  const auto& intervals = axes_[axis].intervals;
  for (std::size_t s = 0; s < intervals.size(); ++s)
    steps |= static_cast<std::uint64_t>(x >= intervals[s].lo && x <= intervals[s].hi) << s;
  return steps;
}

// Whatever lies in the cell, its lowest corner stands for it.
std::int32_t BorderLists::make_cell(std::size_t place) {
  Cell cell{static_cast<std::uint32_t>(cell_groups_.size()), 0, 0};
  std::array<std::uint64_t, 3> steps{};
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t segment = place % (ends_[a].size() + 1);
    place /= ends_[a].size() + 1;
    steps[a] = steps_within_reach(a, segment == 0 ? std::numeric_limits<double>::lowest() : ends_[a][segment - 1]);
  }
  const std::size_t nx = axes_[0].intervals.size();
  const std::size_t ny = axes_[1].intervals.size();
  for (std::uint64_t sz = steps[2]; sz != 0; sz &= sz - 1)
    for (std::uint64_t sy = steps[1]; sy != 0; sy &= sy - 1)
      for (std::uint64_t sx = steps[0]; sx != 0; sx &= sx - 1) {
        const auto z = static_cast<std::size_t>(std::countr_zero(sz));
        const auto y = static_cast<std::size_t>(std::countr_zero(sy));
        const std::int32_t group = group_at_[(z * ny + y) * nx + static_cast<std::size_t>(std::countr_zero(sx))];
        if (group >= 0) cell_groups_.push_back(static_cast<std::uint32_t>(group));
      }
  cell.num_groups = static_cast<std::uint32_t>(cell_groups_.size()) - cell.first_group;
  if (cell.num_groups == 0) return 0;
  cells_.push_back(cell);
  return static_cast<std::int32_t>(cells_.size()) - 1;
}

template <class T>
void BorderLists::find(const Particles& particles, const Roles& roles) {
  const std::size_t num_x = ends_[0].size() + 1;
  const Segments<T> segments(ends_, {1, num_x, num_x * (ends_[1].size() + 1)});
  const auto most = static_cast<std::size_t>(particles.num_owned) + 1;  // one is written where none is found
  if (found_.size() < most) found_.resize(most);
  Found* next = found_.data();
  std::array<std::int32_t, kBlock> cells;
  Blocks<T>(coordinates_of<T>(particles, roles))
      .each(particles.num_owned, [&](std::int64_t first, std::size_t count, const T* x) {
        find_cells(x, segments, cells);  // that of NaN is below all ends
        for (std::size_t i = 0; i < count; ++i) {
          std::int32_t& cell = cell_at_[static_cast<std::size_t>(cells[i])];
          if (cell < 0) cell = make_cell(static_cast<std::size_t>(cells[i]));
          ++cells_[static_cast<std::size_t>(cell)].count;
          *next = {static_cast<std::int32_t>(first) + static_cast<std::int32_t>(i), cell};
          next += cell > 0 ? 1 : 0;
        }
        return true;
      });
  num_found_ = static_cast<std::size_t>(next - found_.data());
}

void BorderLists::list(const Particles& particles, const Roles& roles) {
  for (Cell& cell : cells_) cell.count = 0;
  if (roles.position == Scalar::f32)
    find<float>(particles, roles);
  else
    find<double>(particles, roles);
  count();
  write();
}

void BorderLists::clear() {
  for (Cell& cell : cells_) cell.count = 0;
  num_found_ = 0;
  count();
  write();
}

void BorderLists::set_counts(std::span<const std::uint32_t> counts) {
  clear();
  auto count = counts.begin();
  for (BorderTo& to : to_)
    for (std::int64_t& of_group : to.counts) of_group = *count++;
}

std::span<const std::uint32_t> BorderLists::groups_of(const Cell& cell) const {
  return std::span(cell_groups_).subspan(cell.first_group, cell.num_groups);
}

void BorderLists::count() {
  for (BorderTo& to : to_) std::fill(to.counts.begin(), to.counts.end(), 0);
  for (const Cell& cell : cells_)
    for (const std::uint32_t group : groups_of(cell)) to_[groups_[group].to].counts[groups_[group].part] += cell.count;
}

// In each rank's list group after group, in the order in which it holds them.
void BorderLists::write() {
  std::vector<std::int32_t*> next_to;
  for (BorderTo& to : to_) {
    to.numbers.resize(static_cast<std::size_t>(to.num_elements()));
    next_to.push_back(to.numbers.data());
  }
  next_.clear();
  for (const Group& group : groups_) {
    next_.push_back(next_to[group.to]);
    next_to[group.to] += to_[group.to].counts[group.part];
  }
  for (const Found& found : std::span(found_).first(num_found_))
    for (const std::uint32_t group : groups_of(cells_[static_cast<std::size_t>(found.cell)]))
      *next_[group]++ = found.number;
}

}  // namespace halyard::particles
