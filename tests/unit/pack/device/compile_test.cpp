// compile: both ends of a link come to the same chunks, words and places without a word; tiles cover each byte once.
#include "pack/device/compile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "conformance/random_case.hpp"
#include "pack/device/runs.hpp"

namespace halyard::pack::device {
namespace {

using test::RandomCase;
using test::RankFields;

// Two ranks' ends of the links between them, compiled; addresses are numbers, nothing is touched.
class TwoEnds {
 public:
  TwoEnds(const RandomCase& problem, bool may_be_direct, bool is_staged = false)
      : may_be_direct_(may_be_direct), is_staged_(is_staged) {
    for (int rank = 0; rank < 2; ++rank) {
      patterns_.push_back(box_halo(problem.halo, rank));
      fields_.emplace_back(problem, patterns_.back());
      plans_.emplace_back(patterns_.back(), fields_.back().shapes, PathFacts::uniform(Path::peer, rank, 2),
                          Memory::gpu);
      auto& grids = grids_.emplace_back();
      for (const FieldView& view : fields_.back().views) grids.push_back(grid_of(view));
    }
  }

  bool are_neighbors() const { return neighbor(0) != nullptr && neighbor(1) != nullptr; }

  Tables compiled(int rank, bool reduces) const {
    KindSpec spec;
    const auto r = static_cast<std::size_t>(rank);
    spec.fields = plans_[r].fields();
    spec.grids = grids_[r];
    spec.num_patches = patterns_[r].patches.size();
    spec.reduces = reduces;
    spec.links.push_back(link_of(rank, reduces));
    return compile(spec);
  }

  /// What a rank copies within its own fields, alone.
  Tables compiled_self(int rank) const {
    KindSpec spec;
    const auto r = static_cast<std::size_t>(rank);
    spec.fields = plans_[r].fields();
    spec.grids = grids_[r];
    spec.num_patches = patterns_[r].patches.size();
    for (const PatternNeighbor& n : patterns_[r].neighbors)
      if (n.rank == rank) spec.self = n.receives;
    return compile(spec);
  }

  static std::uint64_t* words(int rank) {
    return reinterpret_cast<std::uint64_t*>(0x1000000000ULL * (static_cast<std::uint64_t>(rank) + 1));
  }
  static Landing landing(int rank) { return {0x2000000000ULL * (static_cast<std::uint64_t>(rank) + 1), 1ULL << 32}; }

 private:
  const PatternNeighbor* neighbor(int rank) const {
    for (const PatternNeighbor& n : patterns_[static_cast<std::size_t>(rank)].neighbors)
      if (n.rank != rank) return &n;
    return nullptr;
  }

  LinkSpec link_of(int rank, bool reduces) const {
    const auto r = static_cast<std::size_t>(rank);
    const PatternNeighbor& cells = *neighbor(rank);
    const auto number = static_cast<std::size_t>(&cells - patterns_[r].neighbors.data());
    const PlanNeighbor& messages = plans_[r].neighbors()[number];
    LinkSpec link;
    link.sends = reduces ? cells.receives : cells.sends;
    link.send_layout = reduces ? &messages.receive : &messages.send;
    link.receives = reduces ? cells.sends : cells.receives;
    link.receive_layout = reduces ? &messages.send : &messages.receive;
    link.peer_grids = grids_[1 - r];
    link.peer_patches = patterns_[1 - r].patches.size();
    link.may_be_direct = may_be_direct_ && !reduces;
    link.always_signals = is_staged_;
    link.own_words = words(rank);
    link.peer_words = words(1 - rank);
    link.own_landing = landing(rank);
    link.peer_landing = landing(1 - rank);
    return link;
  }

  bool may_be_direct_;
  bool is_staged_;
  std::vector<Pattern> patterns_;
  std::vector<RankFields> fields_;
  std::vector<Plan> plans_;
  std::vector<std::vector<Grid>> grids_;
};

// The words at `at` that a rank's receive chunks wait for.
std::multiset<const std::uint64_t*> awaited(const Tables& tables, const std::uint64_t* at) {
  std::multiset<const std::uint64_t*> words;
  for (std::size_t k = tables.num_bulk + tables.num_send; k < tables.chunks.size(); ++k) {
    const Chunk& chunk = tables.chunks[k];
    for (std::uint32_t w = 0; chunk.words == at && w < chunk.num_waits; ++w)
      words.insert(at + std::ptrdiff_t{chunk.wait + w} * kWordStride);
  }
  return words;
}

std::multiset<const std::uint64_t*> signaled(const Tables& tables) {
  std::multiset<const std::uint64_t*> words;
  for (std::size_t k = 0; k < tables.num_bulk + tables.num_send; ++k)
    if (tables.chunks[k].signal != nullptr) words.insert(tables.chunks[k].signal);
  return words;
}

// Bytes of [from, from + 4 GiB) that chunks of a rank touch on one side, each with the word that guards it.
std::map<std::uint64_t, const std::uint64_t*> bytes_in_landing(const Tables& tables, std::uint64_t from, bool is_send) {
  std::map<std::uint64_t, const std::uint64_t*> bytes;
  for (std::size_t k = 0; k < tables.chunks.size(); ++k) {
    const Chunk& chunk = tables.chunks[k];
    const bool receives = k >= tables.num_bulk + tables.num_send;
    if (receives == is_send) continue;
    const auto* word = is_send ? chunk.signal : chunk.words + std::ptrdiff_t{chunk.wait} * kWordStride;
    for (std::uint32_t t = chunk.first_tile; t < chunk.first_tile + chunk.num_tiles; ++t) {
      const Tile& tile = tables.tiles[t];
      const Run& run = tables.runs[tile.run];
      for (std::uint32_t unit = tile.first; unit < tile.first + tile.num; ++unit) {
        const UnitPlaces places = places_of(run, unit);
        const std::uint64_t at = (is_send ? places.target : places.source) - from;
        for (std::uint32_t b = 0; at < (1ULL << 32) && b < run.unit_bytes; ++b)
          EXPECT_TRUE(bytes.emplace(at + b, word).second) << "byte " << at + b << " twice";
      }
    }
  }
  return bytes;
}

void check_both_ends(const TwoEnds& ends, bool reduces) {
  const Tables tables[] = {ends.compiled(0, reduces), ends.compiled(1, reduces)};
  for (int rank = 0; rank < 2; ++rank) {
    const Tables& sender = tables[rank];
    const Tables& receiver = tables[1 - rank];
    ASSERT_EQ(sender.traffic[0].num_send_chunks, receiver.traffic[0].num_receive_chunks);
    ASSERT_EQ(signaled(sender), awaited(receiver, TwoEnds::words(1 - rank))) << "from rank " << rank;
    const bool overlaps = receiver.num_common_waits > 0;  // sums read the landing buffer through lists
    if (overlaps) continue;
    const std::uint64_t landing = TwoEnds::landing(1 - rank).address;
    ASSERT_EQ(bytes_in_landing(sender, landing, true), bytes_in_landing(receiver, landing, false));
  }
}

TEST(CompileForDevice, BothEndsAgreeOnChunksWordsAndPlacesForRandomProblems) {
  int num_checked = 0;
  for (std::uint64_t seed = 0; seed < 150 && !testing::Test::HasFatalFailure(); ++seed) {
    const RandomCase problem = RandomCase::draw(seed, 2);
    SCOPED_TRACE(problem.text);
    for (const bool may_be_direct : {false, true}) {
      const TwoEnds ends(problem, may_be_direct);
      if (!ends.are_neighbors()) continue;
      ++num_checked;
      check_both_ends(ends, false);
    }
  }
  EXPECT_GT(num_checked, 50);
}

TEST(CompileForDevice, BothEndsAgreeWhenTheyReduce) {
  for (std::uint64_t seed = 0; seed < 100 && !testing::Test::HasFatalFailure(); ++seed) {
    RandomCase problem = RandomCase::draw(seed, 2);
    problem.fields.assign(problem.fields.size(), test::Storing{});
    SCOPED_TRACE(problem.text);
    const TwoEnds ends(problem, true);
    if (ends.are_neighbors()) check_both_ends(ends, true);
  }
}

TEST(CompileForDevice, AllThatIsReceivedFromTheHostAwaitsOneWord) {
  for (std::uint64_t seed = 0; seed < 60 && !testing::Test::HasFatalFailure(); ++seed) {
    RandomCase problem = RandomCase::draw(seed, 2);
    problem.fields.assign(problem.fields.size(), test::Storing{});
    SCOPED_TRACE(problem.text);
    const TwoEnds ends(problem, false, true);
    if (!ends.are_neighbors()) continue;
    for (const bool reduces : {false, true}) {
      const Tables tables = ends.compiled(0, reduces);
      const auto words = awaited(tables, TwoEnds::words(0));
      ASSERT_EQ(words.count(TwoEnds::words(0) + kFirstArrived * kWordStride), words.size());
      ASSERT_GE(words.size(), 1U) << "also where there is nothing to unpack";
      ASSERT_GE(tables.traffic[0].num_send_chunks, 1U);
    }
  }
}

RandomCase planes(const Index3& cells) {
  RandomCase problem = RandomCase::draw(0, 2);
  problem.halo.cells = Decomposition::grid(Box::of_extent(cells), {1, 1, 2});
  problem.halo.periodic = {true, true, false};
  problem.halo.width = Width::axes(1, 1, 1);
  problem.halo.reach = Reach::full;
  problem.fields.assign(1, test::Storing{ElementType::of<double>(2), {0, 1, 2}, {0, 0, 0}, {0, 0, 0}, 0});
  return problem;
}

TEST(CompileForDevice, BulkTilesStayWithinARowAndAreWholeUnits) {
  for (const Index3& cells : {Index3{64, 8, 4}, Index3{1000, 3, 4}, Index3{4096, 2, 2}}) {
    const Tables tables = TwoEnds(planes(cells), true).compiled(0, false);
    ASSERT_GT(tables.num_bulk, 0U);
    for (std::uint32_t k = 0; k < tables.num_bulk; ++k)
      for (std::uint32_t t = 0; t < tables.chunks[k].num_tiles; ++t) {
        const Tile& tile = tables.tiles[tables.chunks[k].first_tile + t];
        const pack::device::Run& run = tables.runs[tile.run];
        ASSERT_EQ(run.unit_bytes, 16U);
        ASSERT_GT(tile.num, 0U);
        ASSERT_LE(tile.first + tile.num, run.num_units);
        if (run.shape == RunShape::linear) continue;
        ASSERT_EQ(run.row.divide(tile.first), run.row.divide(tile.first + tile.num - 1)) << "two rows in one tile";
      }
  }
}

// What a rank copies within its own fields all threads copy, however long the rows are, in few chunks that cover each
// ghost once.
TEST(CompileForDevice, CopiesWithinARankAreNoBulkCopies) {
  constexpr Index3 kCells{1000, 500, 400};
  const Tables tables = TwoEnds(planes(kCells), false).compiled_self(0);
  EXPECT_EQ(tables.num_bulk, 0U);
  EXPECT_EQ(tables.num_send, 132U);
  EXPECT_EQ(tables.num_receive, 0U);
  std::int64_t bytes = 0;
  for (const Chunk& chunk : tables.chunks) EXPECT_EQ(chunk.words, nullptr);
  for (const Tile& tile : tables.tiles) bytes += std::int64_t{tile.num} * tables.runs[tile.run].unit_bytes;
  EXPECT_EQ(bytes, ((kCells[0] + 2) * (kCells[1] + 2) - kCells[0] * kCells[1]) * (kCells[2] / 2) * 16);
}

// Rows that begin one cell off 16 bytes at both ends: all but their first and last cells go by bulk copies.
TEST(CompileForDevice, RowsBetweenGhostsAreTrimmedToWholeUnits) {
  RandomCase problem = planes({130, 8, 4});
  problem.halo.reach = Reach::faces;
  problem.fields.assign(1, test::Storing{ElementType::of<double>(), {0, 1, 2}, {0, 0, 0}, {0, 0, 0}, 0});
  for (int rank = 0; rank < 2; ++rank) {
    const Tables tables = TwoEnds(problem, true).compiled(rank, false);
    EXPECT_EQ(tables.traffic[0].direct_bytes, 8 * 128 * 8);
    EXPECT_EQ(tables.traffic[0].landed_bytes, 8 * 2 * 8);
    ASSERT_GT(tables.num_bulk, 0U);
    const Chunk& first = tables.chunks[0];
    for (std::uint32_t t = first.first_tile; t < first.first_tile + first.num_tiles; ++t) {
      const pack::device::Run& run = tables.runs[tables.tiles[t].run];
      EXPECT_EQ(run.unit_bytes, 16U);
      EXPECT_EQ(run.source % 16 + run.target % 16, 0U);
    }
  }
}

// 2^31 + 64 bytes of one-byte elements in rows of odd length: more units than one run may have. No memory is touched.
TEST(CompileForDevice, SectionsOfTooManyUnitsAreCutIntoRunsThatCoverEachCellOnce) {
  Piece piece;
  piece.here.cells = piece.there.cells = Box::of_extent({32769, 65536, 1});
  piece.num_cells = piece.here.cells.num_cells();
  FieldShape field{"bytes", ElementType::opaque(1), {0, 1, 2}};
  Section section{&piece, &field, 0, 0};
  const Place3 source{0x1000, 0, {1, 32771, 32771LL * 65536}, nullptr};
  const Place3 target = in_message(section, 0x100000000000ULL, 1 << 20);
  std::vector<std::int64_t> offsets;
  const auto parts = parts_of(section, source, target, 16, offsets);
  ASSERT_GT(parts.size(), 1U);
  std::int64_t next = 0;
  for (const Part& part : parts) {
    EXPECT_LE(part.run.num_units, kMaxUnitsPerRun);
    EXPECT_EQ(part.first_cell, next);
    EXPECT_EQ(part.run.target, target.address + static_cast<std::uint64_t>(next)) << "the message has no gaps";
    const std::int64_t row = next / 32769;
    EXPECT_EQ(part.run.source, source.address + static_cast<std::uint64_t>(row * 32771 + next % 32769));
    next += part.num_cells;
  }
  EXPECT_EQ(next, piece.num_cells);
}

}  // namespace
}  // namespace halyard::pack::device
