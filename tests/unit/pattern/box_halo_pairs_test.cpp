// Over random problems: what a rank says that it sends is what its neighbor says that it receives, piece by piece; and
// every ghost is received exactly once.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "conformance/random_case.hpp"

namespace halyard::test {
namespace {

constexpr int kRanks[] = {1, 2, 3, 4, 8};
constexpr std::uint64_t kSeeds = 120;

std::vector<Pattern> patterns_of(const RandomCase& problem, int num_ranks) {
  std::vector<Pattern> patterns;
  for (int rank = 0; rank < num_ranks; ++rank) patterns.push_back(box_halo(problem.halo, rank));
  return patterns;
}

const PatternNeighbor* neighbor_of(const Pattern& pattern, int rank) {
  const auto found =
      std::find_if(pattern.neighbors.begin(), pattern.neighbors.end(), [&](const auto& n) { return n.rank == rank; });
  return found == pattern.neighbors.end() ? nullptr : &*found;
}

void expect_same_end(const PieceEnd& a, const PieceEnd& b) {
  EXPECT_EQ(a.patch, b.patch);
  EXPECT_EQ(a.cells, b.cells);
}

void expect_agreement(const Pattern& sender, const PatternNeighbor& sent, const std::vector<Pattern>& patterns) {
  const PatternNeighbor* received = neighbor_of(patterns[static_cast<std::size_t>(sent.rank)], sender.rank);
  ASSERT_NE(received, nullptr);
  EXPECT_EQ(sent.send_hash, received->receive_hash);
  EXPECT_EQ(sent.receive_hash, received->send_hash);
  ASSERT_EQ(sent.sends.size(), received->receives.size());
  for (std::size_t i = 0; i < sent.sends.size(); ++i) {
    EXPECT_EQ(sent.sends[i].num_cells, received->receives[i].num_cells);
    EXPECT_EQ(sent.sends[i].num_cells, sent.sends[i].here.cells.num_cells());
    EXPECT_EQ(sent.sends[i].here.cells.extents(), sent.sends[i].there.cells.extents());
    expect_same_end(sent.sends[i].here, received->receives[i].there);
    expect_same_end(sent.sends[i].there, received->receives[i].here);
  }
}

TEST(BoxHaloPairs, SenderAndReceiverAgreeOnEveryPiece) {
  for (const int num_ranks : kRanks)
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const RandomCase problem = RandomCase::draw(seed, num_ranks);
      SCOPED_TRACE(problem.text);
      const auto patterns = patterns_of(problem, num_ranks);
      for (const Pattern& pattern : patterns)
        for (const PatternNeighbor& neighbor : pattern.neighbors) expect_agreement(pattern, neighbor, patterns);
      if (HasFailure()) return;
    }
}

void expect_each_ghost_once(const Pattern& pattern) {
  std::vector<std::set<Index3>> seen(pattern.patches.size());
  for (const PatternNeighbor& neighbor : pattern.neighbors)
    for (const Piece& piece : neighbor.receives) {
      const Box& box = piece.here.cells;
      for (std::int64_t z = box.lo[2]; z < box.hi[2]; ++z)
        for (std::int64_t y = box.lo[1]; y < box.hi[1]; ++y)
          for (std::int64_t x = box.lo[0]; x < box.hi[0]; ++x)
            EXPECT_TRUE(seen[static_cast<std::size_t>(piece.here.patch)].insert({x, y, z}).second)
                << "a ghost with two owners";
    }
}

TEST(BoxHaloPairs, NoGhostIsReceivedTwice) {
  for (std::uint64_t seed = 0; seed < kSeeds && !HasFailure(); ++seed) {
    const RandomCase problem = RandomCase::draw(seed, 4);
    SCOPED_TRACE(problem.text);
    for (const Pattern& pattern : patterns_of(problem, 4)) expect_each_ghost_once(pattern);
  }
}

TEST(BoxHaloPairs, NeighborsAscendByRankAndNoneIsEmpty) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
    for (const Pattern& pattern : patterns_of(RandomCase::draw(seed, 8), 8)) {
      for (std::size_t i = 1; i < pattern.neighbors.size(); ++i)
        EXPECT_LT(pattern.neighbors[i - 1].rank, pattern.neighbors[i].rank);
      for (const PatternNeighbor& neighbor : pattern.neighbors)
        EXPECT_FALSE(neighbor.sends.empty() && neighbor.receives.empty());
    }
}

TEST(BoxHaloPairs, HashesTellApartWhatIsSentAndNothingElse) {
  const auto cells = Decomposition::grid(Box::of_extent({8, 8, 8}), {2, 1, 1});
  const auto hash = [&](const Width& width, Reach reach) {
    return box_halo({cells, {}, width, reach}, 0).neighbors[0].send_hash;
  };
  std::set<std::uint64_t> hashes{hash(Width::all(1), Reach::full), hash(Width::all(2), Reach::full),
                                 hash({{1, 1, 1}, {2, 1, 1}}, Reach::full), hash({{2, 1, 1}, {1, 1, 1}}, Reach::full)};
  EXPECT_EQ(hashes.size(), 2U) << "rank 0 sends what lies below rank 1: only the lower width on x counts";
}

}  // namespace
}  // namespace halyard::test
