// BorderLists: which owned particles the parts around hold as ghosts. One pass over the particles: most lie deep inside
// and are looked at once; of the others each axis says which steps they are within reach of.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "halyard/borders.hpp"
#include "particles/arrays.hpp"
#include "particles/neighborhood.hpp"

namespace halyard::particles {

/// All that goes to one rank: owned particles in the order in which it holds them as ghosts, group by group.
struct BorderTo {
  int rank = 0;
  std::vector<std::int64_t> counts;   // of each of its groups
  std::vector<std::int32_t> numbers;  // empty when they lie in GPU memory
  std::vector<Nearby> groups = {};    // where each of its groups lies, seen from here

  std::int64_t num_elements() const { return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); }
};

/// All that comes from one rank: the groups that it lists in a BorderTo.
struct BorderFrom {
  int rank = 0;
  std::vector<Nearby> groups;
};

class BorderLists {
 public:
  BorderLists(const Partition& partition, int rank, const BorderOptions& options, Scalar position);

  /// Lists the particles as they lie now.
  void list(const Particles& particles, const Roles& roles);

  /// Lists nobody.
  void clear();

  // One step on one axis: who lies in [lo, hi] is within reach of the part there.
  struct Interval {
    std::int64_t step = 0;
    double lo = 0;
    double hi = 0;
  };
  struct Axis {
    std::vector<Interval> intervals;  // ascending by step
    double inner_lo = 0;              // between these two only the part itself is within reach
    double inner_hi = 0;
  };
  const std::array<Axis, 3>& axes() const { return axes_; }
  /// Takes what somebody else has counted, group by group of to(); the numbers stay there.
  void set_counts(std::span<const std::uint32_t> counts);

  /// Ascending by rank, this rank perhaps among them; the same ranks in both.
  const std::vector<BorderTo>& to() const { return to_; }
  const std::vector<BorderFrom>& from() const { return from_; }

 private:
  struct Group {
    std::size_t to = 0;    // number in to_
    std::size_t part = 0;  // number among its groups
    std::vector<std::int32_t> numbers;
  };

  Axis make_axis(const Partition& partition, std::size_t axis, const std::vector<Nearby>& nearby,
                 Scalar position) const;
  void make_groups(const std::vector<Nearby>& nearby, Shell shell);
  std::size_t place_of(const Index3& steps) const;
  template <class T>
  void list_as(const Particles& particles, const Roles& roles);
  void add(std::int32_t number, const Point3& x);
  std::uint64_t steps_within_reach(std::size_t axis, double x) const;
  void join();

  int rank_;
  double reach_;
  std::array<Axis, 3> axes_;
  std::vector<std::int32_t> group_at_;  // by the numbers of the steps; -1: none
  std::vector<Group> groups_;
  std::vector<BorderTo> to_;
  std::vector<BorderFrom> from_;
};

}  // namespace halyard::particles
