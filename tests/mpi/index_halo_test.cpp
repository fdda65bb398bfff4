// index_halo as a collective: its patterns equal those built from everybody's lists, its data is right on every way,
// and a halo given as boxes or as lists is the same halo.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "mpi/ranks.hpp"
#include "mpi/ways.hpp"
#include "support/box_lists.hpp"

namespace halyard::test {
namespace {

using Ids = std::vector<std::int64_t>;

// Ids all over the 64-bit range, dealt out at random; some ranks own nothing, some ghosts are listed twice or their own
// holder's, positions are shuffled or left out.
std::vector<IndexHalo> draw(std::uint64_t seed, int num_ranks) {
  std::mt19937_64 engine(seed * 977 + static_cast<std::uint64_t>(num_ranks));
  const auto below = [&](std::uint64_t n) { return engine() % n; };
  std::vector<IndexHalo> all(static_cast<std::size_t>(num_ranks));
  Ids ids(1 + below(30) * static_cast<std::uint64_t>(num_ranks));
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = static_cast<std::int64_t>(engine() / 64 * 64 + i % 64) * (i % 2 == 0 ? 1 : -1);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  const std::uint64_t num_owners = 1 + below(static_cast<std::uint64_t>(num_ranks));
  for (const std::int64_t id : ids) all[below(num_owners)].owned.push_back(id);
  for (IndexHalo& lists : all) {
    for (std::uint64_t n = below(20); n > 0; --n) lists.ghosts.push_back(ids[below(ids.size())]);
    if (below(2) == 0) continue;
    Ids places(lists.owned.size() + lists.ghosts.size() + 3);
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin(), places.end(), engine);
    const auto middle = places.begin() + static_cast<std::ptrdiff_t>(lists.owned.size());
    lists.owned_at.assign(places.begin(), middle);
    lists.ghosts_at.assign(middle, middle + static_cast<std::ptrdiff_t>(lists.ghosts.size()));
  }
  return all;
}

std::string text_of(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) {
    text += " [" + std::to_string(piece.num_cells) + ":";
    for (std::size_t i = 0; i < piece.here.elements.size(); ++i)
      text += " " + std::to_string(piece.here.elements[i]) + "/" + std::to_string(piece.there.elements[i]);
    text += "]";
  }
  return text;
}

// Everything that a pattern says, as text.
std::string text_of(const Pattern& pattern) {
  std::string text = std::to_string(pattern.rank) + " of " + std::to_string(pattern.num_ranks) + ", elements " +
                     std::to_string(pattern.patches.at(0).box.extent(0));
  for (const PatternNeighbor& n : pattern.neighbors)
    text += "\n" + std::to_string(n.rank) + " sends" + text_of(n.sends) + " " + std::to_string(n.send_hash) +
            " receives" + text_of(n.receives) + " " + std::to_string(n.receive_hash);
  return text;
}

std::int64_t at(const Ids& places, std::size_t i, std::size_t otherwise) {
  return places.empty() ? static_cast<std::int64_t>(otherwise) : places[i];
}

std::string wrong_in(Context& context, const Allocate& allocate, const std::vector<IndexHalo>& all) {
  const auto rank = static_cast<std::size_t>(context.rank());
  const IndexHalo& mine = all[rank];
  const Pattern pattern = index_halo(context, mine);
  if (const auto twin = text_of(index_halo(all, context.rank())); text_of(pattern) != twin)
    return "collective:\n" + text_of(pattern) + "\nfrom all lists:\n" + twin;
  const auto size = pattern.patches.at(0).box.extent(0);
  const auto bytes = allocate(static_cast<std::size_t>(size) * 24 + 24);
  auto* values = reinterpret_cast<std::int64_t*>(bytes.get());
  std::fill(values, values + 3 * size, -1);
  HaloExchange exchange(context, pattern, {FieldView::list(values, size, 3)});
  for (int step = 0; step < 3; ++step) {
    for (std::size_t i = 0; i < mine.owned.size(); ++i)
      for (int c = 0; c < 3; ++c) values[3 * at(mine.owned_at, i, i) + c] = mine.owned[i] + 64 * c + 1000 * step;
    if (const Status status = exchange.forward().wait(); !status.ok()) return status.text();
    for (std::size_t i = 0; i < mine.ghosts.size(); ++i)
      for (int c = 0; c < 3; ++c)
        if (values[3 * at(mine.ghosts_at, i, mine.owned.size() + i) + c] != mine.ghosts[i] + 64 * c + 1000 * step)
          return "ghost " + std::to_string(i) + " of step " + std::to_string(step);
  }
  return {};
}

class IndexHaloOnRanks : public OnEveryWay {};

TEST_P(IndexHaloOnRanks, RandomListsGiveThePatternOfAllListsAndTheRightGhosts) {
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong_in(context(), memory(), draw(seed, context().size()))), "")
        << "seed " << seed;
}

TEST_P(IndexHaloOnRanks, NeighborsThatOnlySendOrOnlyReceiveAreServed) {
  // Rank 0 owns all; the others only hold ghosts.
  std::vector<IndexHalo> all(static_cast<std::size_t>(context().size()));
  for (std::int64_t id = 0; id < 5; ++id) all[0].owned.push_back(id * 1'000'000'007);
  for (std::size_t r = 1; r < all.size(); ++r) all[r].ghosts = {all[0].owned[r % 5], all[0].owned[4]};
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong_in(context(), memory(), all)), "");
}

TEST_P(IndexHaloOnRanks, AHaloGivenAsBoxesAndAsListsFillsTheSameGhosts) {
  const Index3 ranks = balanced_ranks(context().size(), {12, 12, 12});
  const BoxHalo halo{Decomposition::grid(Box::of_extent({6, 7, 8}), ranks), {true, true, true}, Width::axes(1, 2, 1)};
  const Box box = halo.cells.patch(context().rank()).box;
  const auto cells = static_cast<std::size_t>(cells_with_halo(box.extents(), halo.width));
  std::vector<std::vector<double>> results;
  const auto run = [&](const Pattern& pattern, bool is_list) {
    const auto bytes = memory()(cells * sizeof(double));
    auto* values = reinterpret_cast<double*>(bytes.get());
    for (std::size_t i = 0; i < cells; ++i) values[i] = context().rank() * 1e6 + static_cast<double>(i);
    const auto view = is_list ? FieldView::list(values, static_cast<std::int64_t>(cells))
                              : FieldView::grid(values, box.extents(), halo.width);
    const Status status = HaloExchange(context(), pattern, {view}).forward().wait();
    EXPECT_TRUE(status.ok()) << status.text();
    results.emplace_back(values, values + cells);
  };
  run(box_halo(halo, context().rank()), false);
  run(index_halo(context(), lists_of(halo, box)), true);
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, results[0] == results[1] ? "" : "ghosts differ"), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, IndexHaloOnRanks, testing::ValuesIn(kWays), name_of_way);
INSTANTIATE_TEST_SUITE_P(Rdma, IndexHaloOnRanks, testing::ValuesIn(rdma_ways()), name_of_way);

}  // namespace
}  // namespace halyard::test
