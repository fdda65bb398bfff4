// Field cases about the memory that fields lie in: R01 (an address comes back), R06 (memory returns), M01 and M03
// (memory that peers cannot map), M04 (many fields in one allocation).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/gpu_scene.hpp"
#include "support/gpu/device_under_test.hpp"
#include "support/gpu/tools.hpp"

namespace halyard::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string rows_of_peers(GpuScene& scene) {
  for (int rank = 0; rank < scene.num_ranks(); ++rank)
    if (scene.binding(rank).staged_bytes() != 0) return "rank " + std::to_string(rank) + " staged bytes";
  return scene.binding(0).explain();
}

// Uneven boxes: each rank's field has a size of its own, so that each can get its own old address again.
RandomCase uneven_row() {
  RandomCase problem = gpu_row(2);
  problem.halo.cells = Decomposition::cuts({{{0, 3, 8}, {0, 3}, {0, 3}}});
  return problem;
}

TEST(R01, MemoryThatComesBackAtAnOldAddressGetsTheNewBytes) {
  constexpr std::uint64_t kCycles = 250;
  const auto device = device_under_test();
  const auto tools = gpu_tools(*device);
  GpuWorld world(2, device);
  std::vector<const void*> last(2);
  std::uint64_t num_repeated = 0;
  for (std::uint64_t cycle = 0; cycle < kCycles; ++cycle) {
    const auto allocate = [&](int rank, std::size_t bytes) {
      if (cycle == 0) return gpu_memory(device, world.ordinal(rank), bytes);
      return tools->allocate_again(world.ordinal(rank), bytes);
    };
    GpuScene scene(world, uneven_row(), allocate);
    for (std::size_t r = 0; r < 2; ++r) {
      const void* data = scene.mirror(static_cast<int>(r)).views()[0].data;
      num_repeated += data == last[r] ? 1U : 0U;
      last[r] = data;
    }
    ASSERT_EQ(scene.run(cycle), "") << "cycle " << cycle;
  }
  if (device->kind() == "emulated") {
    EXPECT_EQ(num_repeated, 2 * (kCycles - 1)) << "the emulated device gives old addresses back when it is asked to";
  } else if (num_repeated == 0) {
    GTEST_SKIP() << "the driver never gave an address back";
  }
}

TEST(R06, MemoryAndMappingsReturnWhenBindingsAreDestroyed) {
  const auto device = device_under_test();
  const auto tools = gpu_tools(*device);
  GpuWorld world(2, device);
  const auto cycle = [&](std::uint64_t step) {
    for (const auto& problem : {gpu_row(2), gpu_planes(2)}) {
      GpuScene scene(world, problem);
      ASSERT_EQ(scene.run(step), "");
      scene.bind();
      ASSERT_EQ(scene.run(step + 1), "");
    }
  };
  cycle(0);  // what the driver keeps from its first use on is not ours
  const std::uint64_t before = tools->in_use(0);
  for (std::uint64_t step = 1; step <= 20; ++step) cycle(step);
  EXPECT_LE(tools->in_use(0), before + tools->tolerance());
}

class NotMappable : public testing::TestWithParam<Unusual> {};

TEST_P(NotMappable, MemoryIsLandedWithTheReasonAndNothingIsStaged) {
  const auto device = device_under_test();
  const auto tools = gpu_tools(*device);
  GpuWorld::Settings strict;
  strict.allow_staging = false;
  GpuWorld world(2, device, strict);
  for (const auto& problem : {gpu_row(2), gpu_planes(2)}) {
    GpuScene scene(world, problem, [&](int rank, std::size_t bytes) {
      return tools->allocate(GetParam(), world.ordinal(rank), bytes);
    });
    for (std::uint64_t step = 0; step < 4; ++step) ASSERT_EQ(scene.run(step), "");
    const std::string row = rows_of_peers(scene);
    EXPECT_THAT(row, HasSubstr("peer   landing")) << row;
    EXPECT_THAT(row, HasSubstr("export the memory at")) << row;
    EXPECT_THAT(row, HasSubstr(GetParam() == Unusual::pool ? "pool" : "managed")) << row;
  }
}

// ADR 0011: nothing goes through host memory, so strict mode has nothing to refuse.
INSTANTIATE_TEST_SUITE_P(M01_M03, NotMappable, testing::Values(Unusual::pool, Unusual::managed),
                         [](const auto& tested) { return tested.param == Unusual::pool ? "M01_Pool" : "M03_Managed"; });

TEST(M01, MemoryThatOneRankCannotExportIsLandedAtBothEnds) {
  const auto device = device_under_test();
  const auto tools = gpu_tools(*device);
  GpuWorld world(2, device);
  GpuScene scene(world, gpu_planes(2), [&](int rank, std::size_t bytes) {
    if (rank == 0) return gpu_memory(device, world.ordinal(rank), bytes);
    return tools->allocate(Unusual::pool, world.ordinal(rank), bytes);
  });
  for (std::uint64_t step = 0; step < 4; ++step) ASSERT_EQ(scene.run(step), "");
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_THAT(scene.binding(rank).explain(), HasSubstr("peer   landing"));
    EXPECT_THAT(scene.binding(rank).explain(), HasSubstr("pool"));
  }
  EXPECT_EQ(rows_of_peers(scene), scene.binding(0).explain());
}

// Four fields in one allocation per rank, none at its beginning: whoever reads a handle's first bytes gets the wrong
// one.
TEST(M04, FieldsAtAnyOffsetOfOneAllocationArriveWhereTheyBelong) {
  const auto device = device_under_test();
  for (RandomCase problem : {gpu_row(2), gpu_planes(2)}) {
    problem.fields.assign(4, Storing{});
    GpuWorld world(2, device);
    std::vector<std::shared_ptr<void>> slabs(2);
    std::vector<std::size_t> taken(2, 256);
    GpuScene scene(world, problem, [&](int rank, std::size_t bytes) {
      const auto r = static_cast<std::size_t>(rank);
      if (slabs[r] == nullptr) slabs[r] = gpu_memory(device, world.ordinal(rank), 4 * (bytes + 512) + 256);
      const std::size_t at = taken[r];
      taken[r] += (bytes + 31) / 16 * 16;
      return std::shared_ptr<void>(slabs[r], static_cast<std::byte*>(slabs[r].get()) + at);
    });
    for (std::uint64_t step = 0; step < 3; ++step) ASSERT_EQ(scene.run(step), "");
    EXPECT_THAT(scene.binding(0).explain(), Not(HasSubstr("direct: ")));
  }
}

}  // namespace
}  // namespace halyard::test
