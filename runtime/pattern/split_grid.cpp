// A tensor grid of blocks: a few numbers per axis, whatever the number of ranks.
#include <algorithm>

#include "pattern/decomposition_impl.hpp"

namespace halyard::pattern {
namespace {

class SplitGrid final : public Decomposition::Impl {
 public:
  SplitGrid(const Box& domain, int num_ranks, const std::array<Cuts, 3>& cuts, const Index3& per_rank)
      : Impl(domain, num_ranks), cuts_(cuts), per_rank_(per_rank) {
    for (std::size_t a = 0; a < 3; ++a) {
      blocks_[a] = static_cast<std::int64_t>(cuts_[a].size()) - 1;
      ranks_[a] = blocks_[a] / per_rank_[a];
    }
  }

  int num_patches() const override { return static_cast<int>(blocks_[0] * blocks_[1] * blocks_[2]); }

  Patch patch(int id) const override {
    const Index3 block = block_of(id);
    Patch result;
    Index3 rank{};
    for (std::size_t a = 0; a < 3; ++a) {
      result.box.lo[a] = cuts_[a][static_cast<std::size_t>(block[a])];
      result.box.hi[a] = cuts_[a][static_cast<std::size_t>(block[a] + 1)];
      rank[a] = block[a] / per_rank_[a];
    }
    result.rank = static_cast<int>(flat(rank, ranks_));
    return result;
  }

  std::vector<int> patches_of(int rank) const override {
    const Index3 at = unflat(rank, ranks_);
    std::vector<int> ids;
    for (std::int64_t z = 0; z < per_rank_[2]; ++z)
      for (std::int64_t y = 0; y < per_rank_[1]; ++y)
        for (std::int64_t x = 0; x < per_rank_[0]; ++x)
          ids.push_back(static_cast<int>(
              flat({at[0] * per_rank_[0] + x, at[1] * per_rank_[1] + y, at[2] * per_rank_[2] + z}, blocks_)));
    return ids;
  }

  int local_number(int id) const override {
    Index3 block = block_of(id);
    for (std::size_t a = 0; a < 3; ++a) block[a] %= per_rank_[a];
    return static_cast<int>(flat(block, per_rank_));
  }

  void append_overlapping(const Box& box, std::vector<int>& ids) const override {
    Index3 first{};
    Index3 last{};
    for (std::size_t a = 0; a < 3; ++a) {
      // Parts [i, i + 1) with cuts[i + 1] > lo and cuts[i] < hi; empty parts among them are dropped below.
      first[a] = std::upper_bound(cuts_[a].begin() + 1, cuts_[a].end(), box.lo[a]) - cuts_[a].begin() - 1;
      last[a] = std::lower_bound(cuts_[a].begin(), cuts_[a].end() - 1, box.hi[a]) - cuts_[a].begin();
    }
    for (std::int64_t z = first[2]; z < last[2]; ++z)
      for (std::int64_t y = first[1]; y < last[1]; ++y)
        for (std::int64_t x = first[0]; x < last[0]; ++x) {
          const int id = static_cast<int>(flat({x, y, z}, blocks_));
          if (!intersect(patch(id).box, box).empty()) ids.push_back(id);
        }
  }

 private:
  static std::int64_t flat(const Index3& at, const Index3& extent) {
    return at[0] + extent[0] * (at[1] + extent[1] * at[2]);
  }
  static Index3 unflat(std::int64_t n, const Index3& extent) {
    return {n % extent[0], n / extent[0] % extent[1], n / extent[0] / extent[1]};
  }
  Index3 block_of(int id) const { return unflat(id, blocks_); }

  std::array<Cuts, 3> cuts_;
  Index3 per_rank_;
  Index3 blocks_{};
  Index3 ranks_{};
};

}  // namespace

std::shared_ptr<const Decomposition::Impl> make_split_grid(const std::array<Cuts, 3>& cuts, const Index3& per_rank) {
  Box domain;
  std::int64_t num_ranks = 1;
  for (std::size_t a = 0; a < 3; ++a) {
    domain.lo[a] = cuts[a].front();
    domain.hi[a] = cuts[a].back();
    num_ranks *= (static_cast<std::int64_t>(cuts[a].size()) - 1) / per_rank[a];
  }
  return std::make_shared<SplitGrid>(domain, static_cast<int>(num_ranks), cuts, per_rank);
}

}  // namespace halyard::pattern
