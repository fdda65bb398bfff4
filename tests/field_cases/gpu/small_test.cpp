// Field case F04: small faces travel as one message to each neighbor, in one launch, without a copy or a wait of their
// own, and what is empty asks nothing of the GPU. Counted on the emulated device; on CUDA the same must be right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/gpu_scene.hpp"
#include "device/emulated.hpp"
#include "support/gpu/device_under_test.hpp"

namespace halyard::test {
namespace {

using testing::HasSubstr;

// Two ranks in a row with faces of 64 bytes, or of up to 4 KiB, on all six sides: two to the neighbor, four to itself.
RandomCase six_faces(const Index3& cells) {
  const auto grid = Decomposition::grid(Box::of_extent({2 * cells[0], cells[1], cells[2]}), {2, 1, 1});
  return {{grid, {true, true, true}, Width::all(1), Reach::faces}, {Storing{}, Storing{}}, "six faces"};
}

struct Costs {
  std::uint64_t launches = 0;
  std::uint64_t copies = 0;
  std::uint64_t synchronizes = 0;
};

Costs costs_so_far(device::Device& device) {
  auto* emulated = dynamic_cast<device::EmulatedDevice*>(&device);
  if (emulated == nullptr) return {};
  const auto counts = emulated->counts();
  return {counts.launches, counts.copies + counts.stream_copies, counts.synchronizes};
}

class F04 : public testing::TestWithParam<std::tuple<Path, Index3>> {};

TEST_P(F04, SixFacesOfTwoFieldsAreOneMessageInOneLaunchAndNothingElse) {
  GpuWorld::Settings settings;
  settings.path = std::get<0>(GetParam());
  GpuWorld world(2, device_under_test(), settings);
  GpuScene scene(world, six_faces(std::get<1>(GetParam())));
  scene.fill(1);
  const Costs before = costs_so_far(world.device());
  std::vector<std::uint64_t> numbers;
  for (int rank = 0; rank < 2; ++rank) numbers.push_back(scene.run_one(rank));
  const Costs enqueued = costs_so_far(world.device());
  for (int rank = 0; rank < 2; ++rank) {
    const Status status = scene.binding(rank).wait(numbers[static_cast<std::size_t>(rank)]);
    ASSERT_TRUE(status.ok()) << status.text();
    EXPECT_EQ(scene.binding(rank).plan().neighbors().size(), 2U) << "the other rank, and this one";
    EXPECT_THAT(scene.binding(rank).explain(), HasSubstr("in 0 copies by copy engines"));
  }
  const Costs after = costs_so_far(world.device());
  EXPECT_EQ(scene.check(1), "");
  if (dynamic_cast<device::EmulatedDevice*>(&world.device()) == nullptr) return;
  EXPECT_EQ(after.launches - before.launches, 2U) << "one a rank";
  EXPECT_EQ(after.copies - before.copies, 0U);
  EXPECT_EQ(enqueued.synchronizes - before.synchronizes, 0U) << "the stream alone needs no wait of the host";
  EXPECT_EQ(after.synchronizes - enqueued.synchronizes, 2U) << "wait() is the one wait a rank asked for";
}

INSTANTIATE_TEST_SUITE_P(Faces, F04,
                         testing::Combine(testing::Values(Path::peer, Path::shared),
                                          testing::Values(Index3{4, 2, 4}, Index3{8, 16, 32})));

TEST(F04Empty, AnExchangeWithoutNeighborsAsksNothingOfTheGpu) {
  GpuWorld world(1, device_under_test());
  const auto alone = Decomposition::grid(Box::of_extent({4, 4, 4}), {1, 1, 1});
  GpuScene scene(world, {{alone, {false, false, false}, Width::all(1), Reach::full}, {Storing{}}, "nobody near"});
  scene.fill(1);
  const Costs before = costs_so_far(world.device());
  const Status one = scene.binding(0).wait(scene.run_one(0));
  const Status two = scene.binding(0).wait(scene.start(0));
  const Costs after = costs_so_far(world.device());
  EXPECT_TRUE(one.ok() && two.ok()) << one.text() << two.text();
  EXPECT_EQ(scene.check(1), "");
  EXPECT_EQ(after.launches, before.launches);
  EXPECT_EQ(after.copies, before.copies);
  EXPECT_EQ(after.synchronizes, before.synchronizes);
}

}  // namespace
}  // namespace halyard::test
