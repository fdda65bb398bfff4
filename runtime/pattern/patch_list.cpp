// Patches given one by one. Searches along x: patches sorted by their lower x, with the widest one as reach.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "halyard/status.hpp"
#include "pattern/decomposition_impl.hpp"

namespace halyard::pattern {
namespace {

std::string text_of(const Box& box) { return fmt::format("[{}, {})", box.lo, box.hi); }

class PatchList final : public Decomposition::Impl {
 public:
  PatchList(const Box& domain, int num_ranks, std::vector<Patch> patches)
      : Impl(domain, num_ranks), patches_(std::move(patches)), by_x_(patches_.size()) {
    std::iota(by_x_.begin(), by_x_.end(), 0);
    std::sort(by_x_.begin(), by_x_.end(), [this](int a, int b) { return low_x(a) < low_x(b); });
    for (const Patch& patch : patches_) widest_x_ = std::max(widest_x_, patch.box.extent(0));
    local_.resize(patches_.size());
    std::vector<int> next(static_cast<std::size_t>(num_ranks), 0);
    for (std::size_t id = 0; id < patches_.size(); ++id)
      local_[id] = next[static_cast<std::size_t>(patches_[id].rank)]++;
  }

  int num_patches() const override { return static_cast<int>(patches_.size()); }
  Patch patch(int id) const override { return patches_[static_cast<std::size_t>(id)]; }
  int local_number(int id) const override { return local_[static_cast<std::size_t>(id)]; }

  std::vector<int> patches_of(int rank) const override {
    std::vector<int> ids;
    for (int id = 0; id < num_patches(); ++id)
      if (patches_[static_cast<std::size_t>(id)].rank == rank) ids.push_back(id);
    return ids;
  }

  void append_overlapping(const Box& box, std::vector<int>& ids) const override {
    const auto first = ids.size();
    auto at =
        std::partition_point(by_x_.begin(), by_x_.end(), [&](int id) { return low_x(id) <= box.lo[0] - widest_x_; });
    for (; at != by_x_.end() && low_x(*at) < box.hi[0]; ++at)
      if (!intersect(patches_[static_cast<std::size_t>(*at)].box, box).empty()) ids.push_back(*at);
    std::sort(ids.begin() + static_cast<std::ptrdiff_t>(first), ids.end());
  }

  void refuse_overlaps() const {
    std::vector<int> ids;
    for (int id = 0; id < num_patches(); ++id) {
      ids.clear();
      append_overlapping(patch(id).box, ids);
      for (const int other : ids)
        if (other != id)
          throw Error(
              StatusCode::invalid_argument,
              fmt::format("decompose by patches: patch {} of rank {} {} and patch {} of rank {} {} share cells; "
                          "every cell needs exactly one owner",
                          id, patch(id).rank, text_of(patch(id).box), other, patch(other).rank,
                          text_of(patch(other).box)));
    }
  }

 private:
  std::int64_t low_x(int id) const { return patches_[static_cast<std::size_t>(id)].box.lo[0]; }

  std::vector<Patch> patches_;
  std::vector<int> by_x_;
  std::vector<int> local_;
  std::int64_t widest_x_ = 0;
};

void check_patch(const Box& domain, int num_ranks, const Patch& patch, std::size_t id) {
  if (patch.rank < 0 || patch.rank >= num_ranks)
    throw Error(
        StatusCode::invalid_argument,
        fmt::format("decompose by patches: patch {} names rank {}; ranks are 0 to {}", id, patch.rank, num_ranks - 1));
  for (std::size_t a = 0; a < 3; ++a)
    if (patch.box.extent(a) < 0)
      throw Error(StatusCode::invalid_argument,
                  fmt::format("decompose by patches: patch {} {} has the negative extent {} on axis {}", id,
                              text_of(patch.box), patch.box.extent(a), a));
  if (!patch.box.empty() && !domain.contains(patch.box))
    throw Error(StatusCode::invalid_argument, fmt::format("decompose by patches: patch {} {} leaves the domain {}", id,
                                                          text_of(patch.box), text_of(domain)));
}

}  // namespace

std::shared_ptr<const Decomposition::Impl> make_patch_list(const Box& domain, int num_ranks,
                                                           std::vector<Patch> patches) {
  if (num_ranks < 1 || domain.empty())
    throw Error(StatusCode::invalid_argument,
                fmt::format("decompose by patches: domain {} over {} ranks; both must be at least 1", text_of(domain),
                            num_ranks));
  for (std::size_t id = 0; id < patches.size(); ++id) check_patch(domain, num_ranks, patches[id], id);
  auto list = std::make_shared<PatchList>(domain, num_ranks, std::move(patches));
  list->refuse_overlaps();
  return list;
}

}  // namespace halyard::pattern
