// Decomposition::Impl: what the two kinds of decomposition answer. Immutable once made; any thread.
#pragma once

#include <vector>

#include "halyard/decomposition.hpp"

namespace halyard {

class Decomposition::Impl {
 public:
  Impl(const Box& domain, int num_ranks) : domain_(domain), num_ranks_(num_ranks) {}
  virtual ~Impl() = default;

  const Box& domain() const { return domain_; }
  int num_ranks() const { return num_ranks_; }
  virtual int num_patches() const = 0;
  virtual Patch patch(int id) const = 0;
  virtual std::vector<int> patches_of(int rank) const = 0;
  virtual int local_number(int id) const = 0;
  virtual void append_overlapping(const Box& box, std::vector<int>& ids) const = 0;

 private:
  Box domain_;
  int num_ranks_;
};

}  // namespace halyard

namespace halyard::pattern {

/// Cuts of one axis: part i is [cuts[i], cuts[i + 1]).
using Cuts = std::vector<std::int64_t>;

/// A tensor grid of blocks given by its cuts; each rank has per_rank blocks on each axis, all of them neighbors.
std::shared_ptr<const Decomposition::Impl> make_split_grid(const std::array<Cuts, 3>& cuts, const Index3& per_rank);

/// A list of patches, checked.
std::shared_ptr<const Decomposition::Impl> make_patch_list(const Box& domain, int num_ranks,
                                                           std::vector<Patch> patches);

}  // namespace halyard::pattern
