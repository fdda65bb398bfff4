// Random halo problems on 1 to 8 ranks of one process on a GPU: straight into ghosts, through landing buffers, and
// staged through host memory; in one launch and in two; forward and reverse.
#include <gtest/gtest.h>

#include "conformance/gpu_scene.hpp"
#include "support/gpu/device_under_test.hpp"

namespace halyard::test {
namespace {

constexpr int kRanks[] = {1, 2, 3, 4, 6, 8};
constexpr std::uint64_t kSeedsPerRankCount = 40;

class GpuConformance : public testing::TestWithParam<std::tuple<int, Path>> {};

void check_exchanges(const RandomCase& drawn, GpuWorld& world) {
  SCOPED_TRACE(drawn.text);
  GpuScene scene(world, drawn);
  for (std::uint64_t step = 0; step < 4; ++step)
    ASSERT_EQ(scene.run(step, step % 2 == 0 ? GpuWorld::Launches::one : GpuWorld::Launches::two), "");
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
  GpuScene scene(world, drawn);
  for (const auto launches : {GpuWorld::Launches::one, GpuWorld::Launches::two}) {
    for (int rank = 0; rank < scene.num_ranks(); ++rank) {
      for (CodedField& field : scene.fields(rank).coded) field.fill_for_reverse(3.0, 0.25);
      scene.mirror(rank).upload();
    }
    const Status status = world.run(scene.bindings(), exchange::Kind::reverse, launches);
    ASSERT_TRUE(status.ok()) << status.text();
    for (int rank = 0; rank < scene.num_ranks(); ++rank) {
      scene.mirror(rank).download();
      for (const CodedField& field : scene.fields(rank).coded) ASSERT_EQ(field.check_reverse_sum(3.0, 0.25), "");
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

TEST(SharedGpu, RanksWhoseStreamsWaitInsteadOfTheirKernelsExchangeTheSame) {
  for (const Path path : {Path::peer, Path::shared})
    for (const int num_ranks : {1, 2, 3, 4}) {
      GpuWorld::Settings settings;
      settings.path = path;
      settings.shares_gpus = true;
      GpuWorld world(num_ranks, device_under_test(), settings);
      for (std::uint64_t seed = 0; seed < 10 && !testing::Test::HasFatalFailure(); ++seed) {
        check_exchanges(RandomCase::draw(seed, world.num_ranks()), world);
        check_reverse(seed, world);
      }
    }
}

TEST(CopiedByEngines, StagedMessagesOfAnySizeArriveTheSame) {
  for (const bool shares_gpus : {false, true})
    for (const int num_ranks : {1, 2, 3, 4}) {
      GpuWorld::Settings settings;
      settings.path = Path::shared;
      settings.most_mapped_bytes = 0;
      settings.shares_gpus = shares_gpus;
      GpuWorld world(num_ranks, device_under_test(), settings);
      for (std::uint64_t seed = 0; seed < 10 && !testing::Test::HasFatalFailure(); ++seed) {
        check_exchanges(RandomCase::draw(seed, world.num_ranks()), world);
        check_reverse(seed, world);
      }
    }
}

// Rows of 16-byte units long enough to go straight into ghosts, next to faces of single cells; messages of many chunks.
struct LargeCase {
  const char* name;
  Index3 cells;  // of the whole domain
  Index3 ranks;
  Width width;
  Reach reach;
  ElementType element = ElementType::of<double>();
};

constexpr LargeCase kLargeCases[] = {
    {"planes of z", {64, 64, 16}, {1, 1, 2}, Width::axes(0, 0, 2), Reach::faces},
    {"planes of z, halo on all sides", {64, 12, 16}, {1, 1, 2}, Width::all(2), Reach::full},
    {"faces of x", {32, 80, 40}, {2, 1, 1}, Width::axes(3, 0, 0), Reach::faces},
    {"odd rows", {65, 9, 15}, {1, 2, 2}, Width::axes(1, 2, 1), Reach::full},
    {"planes of z between ghosts", {130, 131, 8}, {1, 1, 2}, Width::all(1), Reach::full},
    {"planes of floats between ghosts", {192, 30, 8}, {1, 1, 2}, Width::all(1), Reach::faces, ElementType::of<float>()},
    {"planes of triples, not on 16 bytes",
     {70, 40, 6},
     {1, 1, 2},
     Width::all(1),
     Reach::faces,
     ElementType::of<float>(3)},
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
    drawn.fields.assign(static_cast<std::size_t>(num_fields), Storing{what.element});
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
