// box_halo: a halo around boxes as pieces, see halyard/pattern.hpp.
//
// A piece is the part of one patch (the source), moved by one periodic image, that lies in another patch's (the
// target's) halo. Source and target rank both derive it from the same three things, target, source and image, and sort
// by them, so they agree on the order without a word.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/hash.hpp"
#include "halyard/pattern.hpp"
#include "halyard/status.hpp"

namespace halyard {
namespace {

struct Keyed {
  int target;
  int source;
  Index3 image;  // added to a source cell to get the ghost's place
  Box cells;     // in source coordinates
};

auto order_of(const Keyed& k) { return std::tie(k.target, k.source, k.image, k.cells.lo); }

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

class Builder {
 public:
  Builder(const BoxHalo& halo, int rank) : halo_(halo), rank_(rank) {}

  Pattern build() {
    check();
    Pattern pattern;
    pattern.rank = rank_;
    pattern.num_ranks = halo_.cells.num_ranks();
    for (const int id : halo_.cells.patches_of(rank_)) {
      const Patch patch = halo_.cells.patch(id);
      pattern.patches.push_back({id, patch.box, halo_.width});
      if (patch.box.empty()) continue;
      find_receives(id, patch.box);
      find_sends(id, patch.box);
    }
    for (auto& [peer, lists] : by_rank_) pattern.neighbors.push_back(neighbor(peer, lists));
    return pattern;
  }

 private:
  struct Lists {
    std::vector<Keyed> sends;
    std::vector<Keyed> receives;
  };

  void check() const {
    for (std::size_t a = 0; a < 3; ++a)
      if (halo_.width.lo[a] < 0 || halo_.width.hi[a] < 0)
        throw Error(StatusCode::invalid_argument,
                    fmt::format("build a box halo: width {} below and {} above on axis {}; "
                                "widths must be 0 or more",
                                halo_.width.lo[a], halo_.width.hi[a], a));
    if (rank_ < 0 || rank_ >= halo_.cells.num_ranks())
      throw Error(StatusCode::invalid_argument,
                  fmt::format("build a box halo for rank {}: the decomposition has ranks 0 "
                              "to {}; give it as many ranks as the communicator has",
                              rank_, halo_.cells.num_ranks() - 1));
  }

  // Calls visit(image, box moved back by the image) for every periodic image of the domain that `box` touches.
  template <class Visit>
  void for_each_image(const Box& box, Visit visit) const {
    const Box& domain = halo_.cells.domain();
    Index3 first{};
    Index3 last{};
    for (std::size_t a = 0; a < 3; ++a) {
      if (!halo_.periodic[a]) continue;
      first[a] = floor_divide(box.lo[a] - domain.lo[a], domain.extent(a));
      last[a] = floor_divide(box.hi[a] - 1 - domain.lo[a], domain.extent(a));
    }
    Index3 n{};
    for (n[2] = first[2]; n[2] <= last[2]; ++n[2])
      for (n[1] = first[1]; n[1] <= last[1]; ++n[1])
        for (n[0] = first[0]; n[0] <= last[0]; ++n[0]) {
          const Index3 image{n[0] * domain.extent(0), n[1] * domain.extent(1), n[2] * domain.extent(2)};
          visit(image, shifted(box, negated(image)));
        }
  }

  void find_receives(int target, const Box& box) {
    for_each_image(grown(box, halo_.width), [&](const Index3& image, const Box& reach) {
      found_.clear();
      halo_.cells.append_overlapping(reach, found_);
      for (const int source : found_) append_pieces(target, source, image, &Lists::receives);
    });
  }

  void find_sends(int source, const Box& box) {
    for_each_image(grown(box, halo_.width.mirrored()), [&](const Index3& image, const Box& reach) {
      found_.clear();
      halo_.cells.append_overlapping(reach, found_);
      for (const int target : found_) append_pieces(target, source, negated(image), &Lists::sends);
    });
  }

  void append_pieces(int target, int source, const Index3& image, std::vector<Keyed> Lists::*list) {
    if (target == source && image == Index3{0, 0, 0}) return;
    const Patch to = halo_.cells.patch(target);
    const Patch from = halo_.cells.patch(source);
    auto& pieces = by_rank_[list == &Lists::sends ? to.rank : from.rank].*list;
    const Box moved = shifted(from.box, image);
    auto append = [&](const Box& region) {
      const Box cells = intersect(moved, region);
      if (!cells.empty()) pieces.push_back({target, source, image, shifted(cells, negated(image))});
    };
    if (halo_.reach == Reach::full) return append(grown(to.box, halo_.width));
    for (std::size_t a = 0; a < 3; ++a) {
      Box below = to.box;
      below.lo[a] = to.box.lo[a] - halo_.width.lo[a];
      below.hi[a] = to.box.lo[a];
      append(below);
      Box above = to.box;
      above.lo[a] = to.box.hi[a];
      above.hi[a] = to.box.hi[a] + halo_.width.hi[a];
      append(above);
    }
  }

  PatternNeighbor neighbor(int peer, Lists& lists) const {
    PatternNeighbor result;
    result.rank = peer;
    result.send_hash = append_sorted(lists.sends, true, result.sends);
    result.receive_hash = append_sorted(lists.receives, false, result.receives);
    return result;
  }

  std::uint64_t append_sorted(std::vector<Keyed>& keyed, bool is_sent, std::vector<Piece>& pieces) const {
    std::sort(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) { return order_of(a) < order_of(b); });
    base::Hash hash;
    for (const Keyed& k : keyed) {
      hash.add(k.target).add(k.source);
      for (std::size_t a = 0; a < 3; ++a) hash.add(k.image[a]).add(k.cells.lo[a]).add(k.cells.hi[a]);
      PieceEnd source{halo_.cells.local_number(k.source), relative(k.cells, k.source), {}};
      PieceEnd target{halo_.cells.local_number(k.target), relative(shifted(k.cells, k.image), k.target), {}};
      if (is_sent)
        pieces.push_back({std::move(source), std::move(target), k.cells.num_cells()});
      else
        pieces.push_back({std::move(target), std::move(source), k.cells.num_cells()});
    }
    return keyed.empty() ? 0 : hash.value();
  }

  Box relative(const Box& cells, int patch) const { return shifted(cells, negated(halo_.cells.patch(patch).box.lo)); }

  const BoxHalo& halo_;
  int rank_;
  std::map<int, Lists> by_rank_;
  std::vector<int> found_;
};

}  // namespace

Pattern box_halo(const BoxHalo& halo, int rank) {
  Pattern pattern = Builder(halo, rank).build();
  // Lists made for a rank with which no cell is shared after all (a candidate that missed every face) go.
  std::erase_if(pattern.neighbors, [](const PatternNeighbor& n) { return n.sends.empty() && n.receives.empty(); });
  return pattern;
}

}  // namespace halyard
