// search: which particles belong to which groups, where arrays lie in GPU memory. Plain data and predicates, alike for
// the kernels and their host twins (kernels.hpp).
//
// Particles are looked at in segments of kSegment. A first launch counts each group's members in each segment; a scan
// turns counts into beginnings; a second launch writes members' numbers there, ascending in each group.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halyard::particles::device {

inline constexpr std::int64_t kSegment = 256;

template <class T>
constexpr T loaded(const void* address) {
  return *static_cast<const T*>(address);
}

/// Positions of all particles. Aligned to their scalar.
struct Coordinates {
  const std::byte* first[3] = {};  // of particle 0
  std::int64_t stride[3] = {};
  bool is_float = false;

  constexpr double at(int axis, std::int64_t i) const {
    const std::byte* address = first[axis] + i * stride[axis];
    return is_float ? static_cast<double>(loaded<float>(address)) : loaded<double>(address);
  }
};

/// What a look at a particle finds: nothing, or the steps on each axis that it is within reach of.
struct Found {
  bool is_any = false;
  std::uint64_t steps[3] = {0, 0, 0};
};

/// One group: those outside [lo, hi), NaN among them.
struct Outside {
  Coordinates x;
  double lo[3] = {0, 0, 0};
  double hi[3] = {0, 0, 0};

  constexpr Found look(std::int64_t i) const {
    bool is_inside = true;
    for (int a = 0; a < 3; ++a) {
      const double x_a = x.at(a, i);
      is_inside = is_inside && x_a >= lo[a] && x_a < hi[a];
    }
    return {!is_inside, {}};
  }
  constexpr bool belongs(const Found& found, std::uint32_t) const { return found.is_any; }
};

/// Steps of one axis: who lies in [lo, hi] of one is within reach of the part there; who lies between the inner bounds
/// is within reach of the part itself only.
struct Interval {
  double lo = 0;
  double hi = 0;
};
struct ReachAxis {
  const Interval* intervals = nullptr;
  std::uint32_t count = 0;
  double inner_lo = 0;
  double inner_hi = 0;
};

/// Each group has one step on each axis, by its number among the axis's intervals.
struct StepsOfGroup {
  std::uint32_t at[3] = {0, 0, 0};
};
struct WithinReach {
  Coordinates x;
  ReachAxis axes[3];
  const StepsOfGroup* groups = nullptr;

  constexpr Found look(std::int64_t i) const {
    Found found;
    double point[3] = {0, 0, 0};
    bool is_inner = true;
    for (int a = 0; a < 3; ++a) {
      point[a] = x.at(a, i);
      is_inner = is_inner && point[a] > axes[a].inner_lo && point[a] < axes[a].inner_hi;
    }
    found.is_any = !is_inner;
    for (int a = 0; a < 3 && !is_inner; ++a)
      for (std::uint32_t s = 0; s < axes[a].count; ++s) {
        const Interval& interval = axes[a].intervals[s];
        const bool is_near = point[a] >= interval.lo && point[a] <= interval.hi;
        found.steps[a] |= std::uint64_t{is_near ? 1U : 0U} << s;
      }
    return found;
  }
  constexpr bool belongs(const Found& found, std::uint32_t group) const {
    const StepsOfGroup& steps = groups[group];
    return (found.steps[0] >> steps.at[0] & found.steps[1] >> steps.at[1] & found.steps[2] >> steps.at[2] & 1U) != 0;
  }
};

/// Where counts and numbers go. Group by group. GPU memory, but for `told`.
struct Selection {
  std::int64_t num_particles = 0;
  std::uint32_t num_groups = 0;
  std::uint32_t num_segments = 0;
  std::uint32_t capacity = 0;            // of numbers; what does not fit is not written
  std::uint32_t* counts = nullptr;       // [group * num_segments + segment]; the scan makes them beginnings
  std::uint32_t* first = nullptr;        // by group: where its numbers begin; then where the last group's end
  std::uint32_t* num_scanned = nullptr;  // groups, while they are scanned; else 0
  std::uint32_t* told = nullptr;         // mapped host memory: members of each group
  std::int32_t* numbers = nullptr;
};

/// Where a link's reverse messages land.
struct LandedLink {
  std::uint32_t first = 0;  // of the link's numbers, among those of all
  std::uint32_t count = 0;
  std::int64_t address = 0;  // where its first element lands
};

/// The first of `numbers`, which ascend, that is not below `number`.
constexpr std::uint32_t lower_bound(const std::int32_t* numbers, std::uint32_t count, std::int32_t number) {
  std::uint32_t first = 0;
  while (count > 0) {
    const std::uint32_t half = count / 2;
    const bool is_below = numbers[first + half] < number;
    first = is_below ? first + half + 1 : first;
    count = is_below ? count - half - 1 : half;
  }
  return first;
}

/// The group that number `q` of all belongs to.
constexpr std::uint32_t group_of(const Selection& selection, std::uint32_t q) {
  std::uint32_t group = 0;
  while (group + 1 < selection.num_groups && selection.first[group + 1] <= q) ++group;
  return group;
}

/// Which number, plus 1, of group `group` is particle `number`; 0: none. Needs no positions: members of the particle's
/// segment lie where the scan says.
constexpr std::uint32_t member_of(const Selection& selection, std::uint32_t group, std::int32_t number) {
  const auto segment = static_cast<std::uint32_t>(number / kSegment);
  const std::uint32_t* begins = selection.counts + std::size_t{group} * selection.num_segments + segment;
  const bool is_last = segment + 1 == selection.num_segments;
  const std::uint32_t begin = selection.first[group] + begins[0];
  const std::uint32_t end = is_last ? selection.first[group + 1] : selection.first[group] + begins[1];
  const std::uint32_t at = begin + lower_bound(selection.numbers + begin, end - begin, number);
  return at < end && selection.numbers[at] == number ? at + 1 : 0;
}

/// The word of pack::device::Run::chain for number `q`: groups come in the order in which their sums are made.
constexpr std::uint32_t chain_of(const Selection& selection, std::uint32_t q, std::uint32_t not_first) {
  const std::uint32_t group = group_of(selection, q);
  const std::int32_t number = selection.numbers[q];
  bool is_first = true;
  for (std::uint32_t g = 0; g < group && is_first; ++g) is_first = member_of(selection, g, number) == 0;
  std::uint32_t next = 0;
  for (std::uint32_t g = group + 1; g < selection.num_groups && next == 0; ++g) next = member_of(selection, g, number);
  return next | (is_first ? 0 : not_first);
}

}  // namespace halyard::particles::device
