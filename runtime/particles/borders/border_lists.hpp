// BorderLists: which owned particles the parts around hold as ghosts.
//
// The ends of what is within reach cut each axis into segments, and space into cells; all who lie in a cell are ghosts
// of the same groups, known beforehand. One pass over the particles finds those in cells with groups and counts them,
// one over those writes each list where it belongs.
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
  };
  struct Cell {
    std::uint32_t first_group = 0;  // in cell_groups_
    std::uint32_t num_groups = 0;
    std::int64_t count = 0;  // of those who lie there now
  };
  struct Found {
    std::int32_t number = 0;
    std::int32_t cell = 0;
  };

  Axis make_axis(const Partition& partition, std::size_t axis, const std::vector<Nearby>& nearby,
                 Scalar position) const;
  void make_groups(const std::vector<Nearby>& nearby, Shell shell);
  std::size_t place_of(const Index3& steps) const;
  void cut_axes();
  std::int32_t make_cell(std::size_t place);
  std::uint64_t steps_within_reach(std::size_t axis, double x) const;
  template <class T>
  void find(const Particles& particles, const Roles& roles);
  std::span<const std::uint32_t> groups_of(const Cell& cell) const;
  void count();
  void write();

  int rank_;
  double reach_;
  std::array<Axis, 3> axes_;
  std::array<std::vector<double>, 3> ends_;  // where a segment of an axis ends and the next begins, ascending
  std::vector<std::int32_t> cell_at_;        // by segments, x first: number in cells_; -1: nobody was there yet
  std::vector<Cell> cells_;                  // the first one is for all without groups
  std::vector<std::uint32_t> cell_groups_;
  std::vector<std::int32_t> group_at_;  // by the numbers of the steps; -1: none
  std::vector<Group> groups_;           // in the order of to_ and its groups
  std::vector<Found> found_;            // of the particles in cells with groups; longer than that
  std::size_t num_found_ = 0;
  std::vector<std::int32_t*> next_;  // by group: where its next number goes
  std::vector<BorderTo> to_;
  std::vector<BorderFrom> from_;
};

}  // namespace halyard::particles
