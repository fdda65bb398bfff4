// See index_lists.hpp.
#include "pattern/index_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/hash.hpp"
#include "halyard/status.hpp"

namespace halyard::pattern {
namespace {

void check_positions(const char* what, const std::vector<std::int64_t>& ids, const std::vector<std::int64_t>& at,
                     int rank) {
  if (!at.empty() && at.size() != ids.size())
    throw Error(
        StatusCode::invalid_argument,
        fmt::format("build an index halo: rank {} lists {} {} ids but {} positions; give one position for each id, "
                    "or none at all",
                    rank, ids.size(), what, at.size()));
  const auto negative = std::find_if(at.begin(), at.end(), [](std::int64_t p) { return p < 0; });
  if (negative != at.end())
    throw Error(
        StatusCode::invalid_argument,
        fmt::format("build an index halo: rank {} gives position {} to one of its {} ids; positions are element "
                    "numbers, 0 or more",
                    rank, *negative, what));
}

// Both ends as one piece; empty lists make no piece.
void append_piece(const std::vector<Match>& matches, bool is_sent, PatternNeighbor& neighbor) {
  if (matches.empty()) return;
  Piece piece;
  base::Hash hash;
  for (const Match& match : matches) {
    piece.here.elements.push_back(is_sent ? match.owner_at : match.ghost_at);
    piece.there.elements.push_back(is_sent ? match.ghost_at : match.owner_at);
    hash.add(match.id);
  }
  piece.num_cells = static_cast<std::int64_t>(matches.size());
  (is_sent ? neighbor.send_hash : neighbor.receive_hash) = hash.value();
  (is_sent ? neighbor.sends : neighbor.receives).push_back(std::move(piece));
}

const std::vector<Match>& of_rank(const MatchesByRank& matches, int rank) {
  static const std::vector<Match> kNone;
  const auto found = matches.find(rank);
  return found == matches.end() ? kNone : found->second;
}

}  // namespace

void check_lists(const IndexHalo& lists, int rank) {
  check_positions("owned", lists.owned, lists.owned_at, rank);
  check_positions("ghost", lists.ghosts, lists.ghosts_at, rank);
}

std::int64_t owned_at(const IndexHalo& lists, std::size_t i) {
  return lists.owned_at.empty() ? static_cast<std::int64_t>(i) : lists.owned_at[i];
}

std::int64_t ghost_at(const IndexHalo& lists, std::size_t i) {
  return lists.ghosts_at.empty() ? static_cast<std::int64_t>(lists.owned.size() + i) : lists.ghosts_at[i];
}

std::int64_t num_elements(const IndexHalo& lists) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < lists.owned.size(); ++i) count = std::max(count, owned_at(lists, i) + 1);
  for (std::size_t i = 0; i < lists.ghosts.size(); ++i) count = std::max(count, ghost_at(lists, i) + 1);
  return count;
}

void refuse_two_owners(std::int64_t id, int first_rank, int second_rank) {
  throw Error(
      StatusCode::invalid_argument,
      fmt::format("build an index halo: global id {} is owned by rank {} and by rank {}{}; every id needs exactly one "
                  "owner",
                  id, first_rank, second_rank, first_rank == second_rank ? " (listed twice)" : ""));
}

void refuse_no_owner(std::int64_t id, int ghost_rank) {
  throw Error(
      StatusCode::invalid_argument,
      fmt::format("build an index halo: rank {} lists ghost id {}, which no rank owns; add it to its owner's list",
                  ghost_rank, id));
}

Pattern pattern_from(const IndexHalo& lists, int rank, int num_ranks, const MatchesByRank& receives,
                     const MatchesByRank& sends) {
  Pattern pattern;
  pattern.kind = PatternKind::elements;
  pattern.rank = rank;
  pattern.num_ranks = num_ranks;
  pattern.patches.push_back({0, Box::of_extent({num_elements(lists), 1, 1}), Width{}});
  std::set<int> peers;
  for (const auto& [peer, matches] : receives) peers.insert(peer);
  for (const auto& [peer, matches] : sends) peers.insert(peer);
  for (const int peer : peers) {
    PatternNeighbor neighbor;
    neighbor.rank = peer;
    append_piece(of_rank(sends, peer), true, neighbor);
    append_piece(of_rank(receives, peer), false, neighbor);
    if (!neighbor.sends.empty() || !neighbor.receives.empty()) pattern.neighbors.push_back(std::move(neighbor));
  }
  return pattern;
}

}  // namespace halyard::pattern
