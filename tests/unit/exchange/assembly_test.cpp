// Assembly: what it refuses, and index patterns through it (box patterns: tests/conformance).
#include "exchange/assembly.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "support/loopback_world.hpp"
#include "transport/counting/factory.hpp"
#include "unit/error_text.hpp"
#include "unit/exchange/scene.hpp"

namespace halyard::test {
namespace {

using exchange::Kind;

TEST(Assembly, RefusesAPathThatIsNotOpenHere) {
  const RandomCase problem = ring_of(2);
  const Pattern pattern = box_halo(problem.halo, 0);
  RankFields fields(problem, pattern);
  EXPECT_EQ(error_text(StatusCode::not_supported,
                       [&] {
                         exchange::Assembly(Plan(pattern, fields.shapes, PathFacts::uniform(Path::ucx, 0, 2)),
                                            fields.views, {}, {});
                       }),
            "bind a plan: it takes path ucx to rank 1, which is not open here; plan with this context's facts");
}

TEST(Assembly, RefusesViewsThatDoNotFitBeforeItOpensAnything) {
  const RandomCase problem = ring_of(1);
  const Pattern pattern = box_halo(problem.halo, 0);
  RankFields fields(problem, pattern);
  fields.views[0].data = nullptr;
  EXPECT_THROW(
      exchange::Assembly(Plan(pattern, fields.shapes, PathFacts::uniform(Path::shared, 0, 1)), fields.views, {}, {}),
      Error);
}

TEST(Assembly, ListsItsRemoteRanksOnly) {
  const RandomCase problem = problem_of({Decomposition::grid(Box::of_extent({4, 4, 1}), {2, 1, 1}),
                                         {true, true, false},
                                         Width::axes(1, 1, 0),
                                         Reach::full});
  LoopbackWorld world(2, Exports::nothing);
  const Pattern pattern = box_halo(problem.halo, 0);
  ASSERT_EQ(pattern.neighbors.size(), 2U);
  RankFields fields(problem, pattern);
  const auto worker = transport::loopback::open_worker(Path::shared, Exports::nothing);
  exchange::Workers workers{};
  workers[static_cast<std::size_t>(Path::shared)] = worker.get();
  const exchange::Assembly assembly(Plan(pattern, fields.shapes, world.facts(0)), fields.views, workers, {});
  EXPECT_EQ(assembly.remote_ranks(), std::vector<int>{1});
  EXPECT_EQ(assembly.windows().size(), 1U);
}

TEST(Assembly, SendsOneMessageToEachRankForAllFieldsAndPatches) {
  RandomCase problem = problem_of({Decomposition::grid(Box::of_extent({12, 6, 1}), {2, 1, 1}, {3, 2, 1}),
                                   {true, true, false},
                                   Width::axes(1, 1, 0),
                                   Reach::full});
  problem.fields.resize(3, problem.fields[0]);
  transport::counting::Counts counts;
  Scene scene(std::move(problem), 2, {Exports::nothing, [&](int, std::unique_ptr<transport::Worker> worker) {
                                        return transport::counting::wrap(std::move(worker), counts);
                                      }});
  scene.fill(1);
  ASSERT_TRUE(scene.run(Kind::forward).ok());
  EXPECT_EQ(scene.check(1), "");
  EXPECT_EQ(counts.channels_opened, 2U);
  EXPECT_EQ(counts.messages_posted, 2U);
  EXPECT_EQ(counts.messages_received, 2U);
  EXPECT_EQ(counts.bytes_posted, static_cast<std::uint64_t>(2 * scene.binding(0).plan().neighbors()[1].send.bytes));
}

class IndexExchange : public testing::TestWithParam<Exports> {};

INSTANTIATE_TEST_SUITE_P(Forms, IndexExchange, testing::Values(Exports::nothing, Exports::everything), name_of_form);

// Random owners and ghosts of ids 0 … n - 1, each rank's elements in random places.
std::vector<IndexHalo> random_lists(std::mt19937_64& random, int num_ranks, std::int64_t num_ids) {
  std::vector<IndexHalo> lists(static_cast<std::size_t>(num_ranks));
  for (std::int64_t id = 0; id < num_ids; ++id) lists[random() % lists.size()].owned.push_back(id);
  for (IndexHalo& mine : lists) {
    for (std::size_t n = random() % 20; n > 0; --n)
      mine.ghosts.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(num_ids)));
    std::vector<std::int64_t> places(mine.owned.size() + mine.ghosts.size() + 3);
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin(), places.end(), random);
    const auto split = places.begin() + static_cast<std::ptrdiff_t>(mine.owned.size());
    mine.owned_at.assign(places.begin(), split);
    mine.ghosts_at.assign(split, split + static_cast<std::ptrdiff_t>(mine.ghosts.size()));
  }
  return lists;
}

std::vector<std::unique_ptr<BindingCore>> bound(LoopbackWorld& world, const std::vector<IndexHalo>& lists,
                                                std::vector<std::vector<double>>& memory) {
  std::vector<Plan> plans;
  std::vector<std::vector<FieldView>> views;
  memory.clear();
  for (int rank = 0; rank < world.num_ranks(); ++rank) {
    const Pattern pattern = index_halo(lists, rank);
    memory.emplace_back(static_cast<std::size_t>(pattern.patches[0].box.extent(0)), -1.0);
    views.push_back({FieldView::list(memory.back().data(), static_cast<std::int64_t>(memory.back().size()))});
    plans.emplace_back(pattern, std::vector<FieldShape>{views.back()[0].shape()}, world.facts(rank));
  }
  return world.bind(std::move(plans), views);
}

TEST_P(IndexExchange, FillsEveryGhostAndAddsEveryGhostBack) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const int num_ranks = 1 + static_cast<int>(seed % 5);
    const auto lists = random_lists(random, num_ranks, 30);
    LoopbackWorld world(num_ranks, GetParam());
    std::vector<std::vector<double>> memory;
    auto bindings = bound(world, lists, memory);
    std::vector<double> sums(30, 0.0);
    for (std::size_t r = 0; r < lists.size(); ++r)
      for (std::size_t i = 0; i < lists[r].owned.size(); ++i)
        memory[r][static_cast<std::size_t>(lists[r].owned_at[i])] = 100.0 + static_cast<double>(lists[r].owned[i]);
    ASSERT_TRUE(LoopbackWorld::run(bindings, Kind::forward).ok());
    for (std::size_t r = 0; r < lists.size(); ++r)
      for (std::size_t i = 0; i < lists[r].ghosts.size(); ++i) {
        double& ghost = memory[r][static_cast<std::size_t>(lists[r].ghosts_at[i])];
        ASSERT_EQ(ghost, 100.0 + static_cast<double>(lists[r].ghosts[i]));
        ghost = static_cast<double>(random() % 100);
        sums[static_cast<std::size_t>(lists[r].ghosts[i])] += ghost;
      }
    ASSERT_TRUE(LoopbackWorld::run(bindings, Kind::reverse).ok());
    for (std::size_t r = 0; r < lists.size(); ++r)
      for (std::size_t i = 0; i < lists[r].owned.size(); ++i) {
        const auto id = static_cast<std::size_t>(lists[r].owned[i]);
        ASSERT_EQ(memory[r][static_cast<std::size_t>(lists[r].owned_at[i])],
                  100.0 + static_cast<double>(id) + sums[id]);
      }
  }
}

}  // namespace
}  // namespace halyard::test
