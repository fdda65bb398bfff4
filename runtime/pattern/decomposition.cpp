// Decomposition: checks arguments and forwards to its two kinds, see halyard/decomposition.hpp.
#include "halyard/decomposition.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "halyard/status.hpp"
#include "pattern/decomposition_impl.hpp"

namespace halyard {
namespace {

pattern::Cuts even_cuts(std::int64_t lo, std::int64_t cells, std::int64_t parts) {
  pattern::Cuts cuts;
  for (std::int64_t i = 0; i <= parts; ++i) cuts.push_back(lo + cells / parts * i + cells % parts * i / parts);
  return cuts;
}

void check_grid(const Box& domain, const Index3& ranks, const Index3& per_rank) {
  for (std::size_t a = 0; a < 3; ++a) {
    if (domain.extent(a) < 1)
      throw Error(StatusCode::invalid_argument,
                  fmt::format("decompose a grid: the domain has extent {} on axis {}; extents must be at least 1",
                              domain.extent(a), a));
    if (ranks[a] < 1 || per_rank[a] < 1)
      throw Error(StatusCode::invalid_argument,
                  fmt::format("decompose a grid: {} ranks with {} patches each on axis {}; both must be at least 1",
                              ranks[a], per_rank[a], a));
  }
}

void check_cuts(const std::array<pattern::Cuts, 3>& cuts) {
  for (std::size_t a = 0; a < 3; ++a) {
    const bool is_right =
        cuts[a].size() >= 2 && std::is_sorted(cuts[a].begin(), cuts[a].end()) && cuts[a].front() < cuts[a].back();
    if (!is_right)
      throw Error(StatusCode::invalid_argument,
                  fmt::format("decompose by cuts: axis {} has cuts {}; give one more than ranks, ascending, and not "
                              "all the same",
                              a, cuts[a]));
  }
}

}  // namespace

Decomposition::Decomposition(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Decomposition Decomposition::grid(const Box& domain, const Index3& ranks, const Index3& patches_per_rank) {
  check_grid(domain, ranks, patches_per_rank);
  std::array<pattern::Cuts, 3> block_cuts;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto rank_cuts = even_cuts(domain.lo[a], domain.extent(a), ranks[a]);
    block_cuts[a].push_back(domain.lo[a]);
    for (std::size_t r = 0; r + 1 < rank_cuts.size(); ++r) {
      const auto inner = even_cuts(rank_cuts[r], rank_cuts[r + 1] - rank_cuts[r], patches_per_rank[a]);
      block_cuts[a].insert(block_cuts[a].end(), inner.begin() + 1, inner.end());
    }
  }
  return Decomposition(pattern::make_split_grid(block_cuts, patches_per_rank));
}

Decomposition Decomposition::cuts(const std::array<std::vector<std::int64_t>, 3>& cuts) {
  check_cuts(cuts);
  return Decomposition(pattern::make_split_grid(cuts, {1, 1, 1}));
}

Decomposition Decomposition::patches(const Box& domain, int num_ranks, std::vector<Patch> patches) {
  return Decomposition(pattern::make_patch_list(domain, num_ranks, std::move(patches)));
}

const Box& Decomposition::domain() const { return impl_->domain(); }
int Decomposition::num_ranks() const { return impl_->num_ranks(); }
int Decomposition::num_patches() const { return impl_->num_patches(); }
Patch Decomposition::patch(int id) const { return impl_->patch(id); }
std::vector<int> Decomposition::patches_of(int rank) const { return impl_->patches_of(rank); }
int Decomposition::local_number(int id) const { return impl_->local_number(id); }
void Decomposition::append_overlapping(const Box& box, std::vector<int>& ids) const {
  impl_->append_overlapping(box, ids);
}

Index3 balanced_ranks(int num_ranks, const Index3& cells) {
  if (num_ranks < 1)
    throw Error(StatusCode::invalid_argument,
                fmt::format("choose a process grid for {} ranks: need at least 1", num_ranks));
  Index3 best{num_ranks, 1, 1};
  double least_surface = -1;
  for (std::int64_t x = 1; x <= num_ranks; ++x) {
    if (num_ranks % x != 0) continue;
    for (std::int64_t y = 1; y <= num_ranks / x; ++y) {
      if (num_ranks / x % y != 0) continue;
      const Index3 ranks{x, y, num_ranks / x / y};
      double extent[3];
      double penalty = 1;
      for (std::size_t a = 0; a < 3; ++a) {
        extent[a] = static_cast<double>(cells[a]) / static_cast<double>(ranks[a]);
        if (extent[a] < 1) penalty *= 1e6;  // parts without cells only where nothing else is left
      }
      const double surface = penalty * (extent[0] * extent[1] + extent[1] * extent[2] + extent[2] * extent[0]);
      // Earlier candidates cut x less: on a tie they stay, since faces across x are the dearest to copy.
      if (least_surface < 0 || surface < least_surface) {
        best = ranks;
        least_surface = surface;
      }
    }
  }
  return best;
}

}  // namespace halyard
