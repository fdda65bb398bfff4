// The parts of an index halo that its two builders share: checks, and neighbors made from matched ghosts.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "halyard/pattern.hpp"

namespace halyard::pattern {

/// One ghost with its owner found: `owner_at` is the owner's element, `ghost_at` the holder's.
struct Match {
  std::int64_t id = 0;
  std::int64_t owner_at = 0;
  std::int64_t ghost_at = 0;
};
static_assert(sizeof(Match) == 3 * sizeof(std::int64_t), "sent between ranks as three numbers");

/// Throws when lists and positions differ in length or a position is negative. `rank` is for the message.
void check_lists(const IndexHalo& lists, int rank);
/// The element that holds owned id number i (ghost number i).
std::int64_t owned_at(const IndexHalo& lists, std::size_t i);
std::int64_t ghost_at(const IndexHalo& lists, std::size_t i);
/// Elements that a field needs for these lists: the highest position + 1.
std::int64_t num_elements(const IndexHalo& lists);

[[noreturn]] void refuse_two_owners(std::int64_t id, int first_rank, int second_rank);
[[noreturn]] void refuse_no_owner(std::int64_t id, int ghost_rank);

/// Matches by the other rank, in the order in which the ghost's holder lists them.
using MatchesByRank = std::map<int, std::vector<Match>>;

/// A pattern from what this rank receives (its ghosts by owner) and sends (others' ghosts by holder).
Pattern pattern_from(const IndexHalo& lists, int rank, int num_ranks, const MatchesByRank& receives,
                     const MatchesByRank& sends);

}  // namespace halyard::pattern
