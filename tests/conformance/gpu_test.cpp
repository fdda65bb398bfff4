// Random halo problems on 1 to 8 ranks of one process on a GPU: straight into ghosts, through landing buffers, and
// staged through host memory; in one launch and in two; forward and reverse.
#include <gtest/gtest.h>

#include "conformance/random_case.hpp"
#include "support/device_under_test.hpp"
#include "support/gpu_mirror.hpp"
#include "support/gpu_world.hpp"

namespace halyard::test {
namespace {

constexpr int kRanks[] = {1, 2, 3, 4, 6, 8};
constexpr std::uint64_t kSeedsPerRankCount = 40;

class GpuConformance : public testing::TestWithParam<std::tuple<int, Path>> {};

// One problem with its fields on the host and their mirrors on the device.
struct Problem {
  Problem(const RandomCase& problem, GpuWorld& world) {
    for (int rank = 0; rank < world.num_ranks(); ++rank) {
      const Pattern pattern = box_halo(problem.halo, rank);
      fields.emplace_back(problem, pattern);
      mirrors.emplace_back(world.shared_device(), world.ordinal(rank), fields.back().views);
      plans.emplace_back(pattern, fields.back().shapes, world.facts(rank), halyard::Memory::gpu);
      views.push_back(mirrors.back().views());
    }
  }

  std::vector<RankFields> fields;
  std::vector<GpuMirror> mirrors;
  std::vector<Plan> plans;
  std::vector<std::vector<FieldView>> views;
};

void check_exchanges(const RandomCase& drawn, GpuWorld& world) {
  SCOPED_TRACE(drawn.text);
  Problem problem(drawn, world);
  auto bindings = world.bind(std::move(problem.plans), problem.views);
  for (std::uint64_t step = 0; step < 4; ++step) {
    for (std::size_t r = 0; r < bindings.size(); ++r) {
      problem.fields[r].fill(step);
      problem.mirrors[r].upload();
    }
    const auto launches = step % 2 == 0 ? GpuWorld::Launches::one : GpuWorld::Launches::two;
    const Status status = world.run(bindings, exchange::Kind::forward, launches);
    ASSERT_TRUE(status.ok()) << status.text();
    for (std::size_t r = 0; r < bindings.size(); ++r) {
      problem.mirrors[r].download();
      ASSERT_EQ(problem.fields[r].check(step), "") << "rank " << r << "\n" << bindings[r]->explain();
    }
  }
}

TEST_P(GpuConformance, EveryGhostHoldsItsOwnersCodeAndNothingElseIsTouched) {
  const auto [num_ranks, path] = GetParam();
  GpuWorld::Settings settings;
  settings.path = path;
  GpuWorld world(num_ranks, device_under_test(), settings);
  for (std::uint64_t seed = 0; seed < kSeedsPerRankCount && !HasFatalFailure(); ++seed)
    check_exchanges(RandomCase::draw(seed, world.num_ranks()), world);
}

// Every owned cell gets its ghosts' values, in whatever number they are, alike in one launch and in two.
void check_reverse(std::uint64_t seed, GpuWorld& world) {
  RandomCase drawn = RandomCase::draw(seed, world.num_ranks());
  drawn.fields.assign(1, Storing{});
  SCOPED_TRACE(drawn.text);
  Problem problem(drawn, world);
  auto bindings = world.bind(std::move(problem.plans), problem.views);
  for (const auto launches : {GpuWorld::Launches::one, GpuWorld::Launches::two}) {
    for (std::size_t r = 0; r < bindings.size(); ++r) {
      for (CodedField& field : problem.fields[r].coded) field.fill_for_reverse(3.0, 0.25);
      problem.mirrors[r].upload();
    }
    const Status status = world.run(bindings, exchange::Kind::reverse, launches);
    ASSERT_TRUE(status.ok()) << status.text();
    for (std::size_t r = 0; r < bindings.size(); ++r) {
      problem.mirrors[r].download();
      for (const CodedField& field : problem.fields[r].coded) ASSERT_EQ(field.check_reverse_sum(3.0, 0.25), "");
    }
  }
}

TEST_P(GpuConformance, EveryOwnedCellGetsTheSumOfItsGhosts) {
  const auto [num_ranks, path] = GetParam();
  GpuWorld::Settings settings;
  settings.path = path;
  GpuWorld world(num_ranks, device_under_test(), settings);
  for (std::uint64_t seed = 0; seed < kSeedsPerRankCount / 2 && !HasFatalFailure(); ++seed) check_reverse(seed, world);
}

// Rows of 16-byte units long enough to go straight into ghosts, next to faces of single cells; messages of many chunks.
struct LargeCase {
  const char* name;
  Index3 cells;  // of the whole domain
  Index3 ranks;
  Width width;
  Reach reach;
};

constexpr LargeCase kLargeCases[] = {
    {"planes of z", {64, 24, 16}, {1, 1, 2}, Width::axes(0, 0, 2), Reach::faces},
    {"planes of z, halo on all sides", {64, 12, 16}, {1, 1, 2}, Width::all(2), Reach::full},
    {"faces of x", {32, 80, 40}, {2, 1, 1}, Width::axes(3, 0, 0), Reach::faces},
    {"odd rows", {65, 9, 15}, {1, 2, 2}, Width::axes(1, 2, 1), Reach::full},
    {"more than 64 KiB", {96, 96, 8}, {1, 1, 4}, Width::axes(0, 0, 2), Reach::full},
};

class GpuLarge : public testing::TestWithParam<std::tuple<LargeCase, Path>> {};

TEST_P(GpuLarge, LongRowsAndManyChunksAreRight) {
  const auto& [what, path] = GetParam();
  GpuWorld::Settings settings;
  settings.path = path;
  GpuWorld world(static_cast<int>(what.ranks[0] * what.ranks[1] * what.ranks[2]), device_under_test(), settings);
  for (const int num_fields : {1, 3}) {
    RandomCase drawn = RandomCase::draw(0, world.num_ranks());
    drawn.halo.cells = Decomposition::grid(Box::of_extent(what.cells), what.ranks);
    drawn.halo.periodic = {true, true, true};
    drawn.halo.width = what.width;
    drawn.halo.reach = what.reach;
    drawn.fields.assign(static_cast<std::size_t>(num_fields), Storing{});
    drawn.text = what.name;
    check_exchanges(drawn, world);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GpuLarge,
                         testing::Combine(testing::ValuesIn(kLargeCases), testing::Values(Path::peer, Path::shared)));

std::string name_of_case(const testing::TestParamInfo<std::tuple<int, Path>>& info) {
  return std::to_string(std::get<0>(info.param)) + (std::get<1>(info.param) == Path::peer ? "Peer" : "Staged");
}

INSTANTIATE_TEST_SUITE_P(Ranks, GpuConformance,
                         testing::Combine(testing::ValuesIn(kRanks), testing::Values(Path::peer, Path::shared)),
                         name_of_case);

}  // namespace
}  // namespace halyard::test
