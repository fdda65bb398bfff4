// Decomposition: which rank owns which cells of a global grid.
//
// Pure data that every rank holds alike. A grid decomposition stores the cuts of each axis only, so it stays small for
// any number of ranks; an explicit one stores its patches. Patches are numbered 0 … num_patches() - 1 (their id); a
// rank may own several. Any thread may read it.
#pragma once

#include <memory>
#include <vector>

#include "halyard/box.hpp"
#include "halyard/export.hpp"

namespace halyard {

/// A box of cells and its owner. The box may be empty (more ranks than cells).
struct Patch {
  int rank = 0;
  Box box;

  friend bool operator==(const Patch&, const Patch&) = default;
};

class HALYARD_API Decomposition {
 public:
  /// Splits `domain` evenly over a grid of ranks: rank = x + X * (y + Y * z). Cut i of n cells over p parts is at
  /// floor(n * i / p). With `patches_per_rank` each rank's block is split again in the same way.
  static Decomposition grid(const Box& domain, const Index3& ranks, const Index3& patches_per_rank = {1, 1, 1});

  /// A grid of ranks with cuts chosen by the caller: cuts[axis] has one more entry than there are ranks on that axis,
  /// ascends from domain.lo to domain.hi, and may hold equal neighbors (an empty part).
  static Decomposition cuts(const std::array<std::vector<std::int64_t>, 3>& cuts);

  /// Any set of patches; patch id = position. Throws when two patches share a cell, one leaves the domain or names a
  /// rank outside [0, num_ranks).
  static Decomposition patches(const Box& domain, int num_ranks, std::vector<Patch> patches);

  const Box& domain() const;
  int num_ranks() const;
  int num_patches() const;
  Patch patch(int id) const;
  /// Ids of the rank's patches, ascending. The position in this list is the patch's local number on its rank.
  std::vector<int> patches_of(int rank) const;
  /// Local number of a patch on its owner.
  int local_number(int id) const;
  /// Appends the ids of all patches that share a cell with `box`, ascending.
  void append_overlapping(const Box& box, std::vector<int>& ids) const;

  class Impl;

 private:
  explicit Decomposition(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

/// The process grid closest to cubes of cells: factors of num_ranks over the axes that have more than one cell.
HALYARD_API Index3 balanced_ranks(int num_ranks, const Index3& cells);

}  // namespace halyard
