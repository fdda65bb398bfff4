// index_halo from the lists of all ranks, in one process, see halyard/pattern.hpp. The collective twin that no rank
// needs all lists for is context/index_directory.cpp.
#include <fmt/format.h>

#include <unordered_map>

#include "halyard/pattern.hpp"
#include "halyard/status.hpp"
#include "pattern/index_lists.hpp"

namespace halyard {
namespace {

struct Owner {
  int rank;
  std::int64_t at;
};
using Owners = std::unordered_map<std::int64_t, Owner>;

Owners find_owners(std::span<const IndexHalo> all_ranks) {
  Owners owners;
  for (std::size_t r = 0; r < all_ranks.size(); ++r) {
    const int rank = static_cast<int>(r);
    pattern::check_lists(all_ranks[r], rank);
    for (std::size_t i = 0; i < all_ranks[r].owned.size(); ++i) {
      const auto id = all_ranks[r].owned[i];
      const auto [entry, is_new] = owners.try_emplace(id, Owner{rank, pattern::owned_at(all_ranks[r], i)});
      if (!is_new) pattern::refuse_two_owners(id, entry->second.rank, rank);
    }
  }
  return owners;
}

}  // namespace

Pattern index_halo(std::span<const IndexHalo> all_ranks, int rank) {
  const int num_ranks = static_cast<int>(all_ranks.size());
  if (rank < 0 || rank >= num_ranks)
    throw Error(StatusCode::invalid_argument,
                fmt::format("build an index halo for rank {}: lists of {} ranks were given", rank, num_ranks));
  const Owners owners = find_owners(all_ranks);
  pattern::MatchesByRank receives;
  pattern::MatchesByRank sends;
  for (int holder = 0; holder < num_ranks; ++holder) {
    const IndexHalo& lists = all_ranks[static_cast<std::size_t>(holder)];
    for (std::size_t i = 0; i < lists.ghosts.size(); ++i) {
      const auto owner = owners.find(lists.ghosts[i]);
      if (owner == owners.end()) pattern::refuse_no_owner(lists.ghosts[i], holder);
      const pattern::Match match{lists.ghosts[i], owner->second.at, pattern::ghost_at(lists, i)};
      if (holder == rank) receives[owner->second.rank].push_back(match);
      if (owner->second.rank == rank) sends[holder].push_back(match);
    }
  }
  return pattern::pattern_from(all_ranks[static_cast<std::size_t>(rank)], rank, num_ranks, receives, sends);
}

}  // namespace halyard
