// Field cases that need the emulated device, since a test cannot tell a driver what to show or count its calls: I01
// (which GPUs a rank sees), refused mappings, F02 (calls per exchange).
#include "device/emulated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/gpu_scene.hpp"

namespace halyard::test {
namespace {

using device::DriverCall;
using device::EmulatedDevice;
using testing::AllOf;
using testing::HasSubstr;

struct Visible {
  const char* name;
  std::vector<int> gpus[2];
  int ordinals[2];
};

const Visible kVisible[] = {
    {"both_see_both", {{0, 1}, {0, 1}}, {0, 1}}, {"one_each", {{0}, {1}}, {0, 0}},
    {"the_other_one_each", {{1}, {0}}, {0, 0}},  {"in_another_order", {{0, 1}, {1, 0}}, {0, 0}},
    {"the_same_one", {{0}, {1, 0}}, {0, 1}},
};

class I01 : public testing::TestWithParam<Visible> {};

TEST_P(I01, PeersAreReachedWhateverOrdinalsTheyHave) {
  std::vector<std::shared_ptr<device::Device>> devices;
  for (const auto& gpus : GetParam().gpus) devices.push_back(EmulatedDevice::make(2, gpus));
  GpuWorld::Settings strict;
  strict.allow_staging = false;
  GpuWorld world(devices, {GetParam().ordinals[0], GetParam().ordinals[1]}, strict);
  for (const auto& problem : {gpu_row(2), gpu_planes(2)}) {
    GpuScene scene(world, problem);
    for (std::uint64_t step = 0; step < 3; ++step) ASSERT_EQ(scene.run(step), "");
    EXPECT_THAT(scene.binding(0).explain(), HasSubstr("  1  peer "));
  }
}

INSTANTIATE_TEST_SUITE_P(Visibility, I01, testing::ValuesIn(kVisible),
                         [](const auto& tested) { return tested.param.name; });

TEST(I01, AMappingThatTheDriverRefusesIsStagedAtBothEndsWithWhatItSaid) {
  const auto first = EmulatedDevice::make(2, {0});
  GpuWorld world({first, EmulatedDevice::make(2, {1})}, {0, 0}, GpuWorld::Settings{});
  first->fail_next(DriverCall::open, 1000, "system not yet initialized (802)");
  GpuScene scene(world, gpu_row(2));
  for (std::uint64_t step = 0; step < 3; ++step) ASSERT_EQ(scene.run(step), "");
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_THAT(scene.binding(rank).explain(),
                AllOf(HasSubstr("staged over shared"), HasSubstr("system not yet initialized (802)")));
    EXPECT_GT(scene.binding(rank).staged_bytes(), 0U);
  }
}

TEST(I01, AMappingThatIsRefusedOnceConcernsOneFormAndTheDataIsRight) {
  const auto device = EmulatedDevice::make(2);
  for (int refused = 1; refused <= 3; ++refused) {
    GpuWorld world(2, device);
    device->fail_next(DriverCall::open, refused, "mapping of buffer object failed");
    GpuScene scene(world, gpu_planes(2));
    device->fail_next(DriverCall::open, 0, "");
    for (std::uint64_t step = 0; step < 3; ++step) ASSERT_EQ(scene.run(step), "") << refused << " refused";
    EXPECT_THAT(scene.explain(), HasSubstr("mapping of buffer object failed"));
  }
}

// Faces of x: a block of one cell per row and field, many patches beside it.
TEST(F02, AnExchangeIsOneOrTwoLaunchesHoweverManyBlocksItHas) {
  const auto device = EmulatedDevice::make(2);
  for (const Index3 patches : {Index3{1, 1, 1}, Index3{1, 4, 4}}) {
    RandomCase problem = gpu_row(2, 8);
    problem.halo.cells = Decomposition::grid(Box::of_extent({16, 8, 8}), {2, 1, 1}, patches);
    problem.fields.assign(3, Storing{});
    GpuWorld world(2, device);
    GpuScene scene(world, problem);
    for (const std::uint64_t launches : {1U, 2U}) {
      scene.fill(launches);
      const auto before = device->counts();
      for (int rank = 0; rank < 2; ++rank) {
        const std::uint64_t number = launches == 1 ? scene.run_one(rank) : scene.start(rank);
        ASSERT_TRUE(scene.binding(rank).wait_in(number, world.stream(rank)).ok());
      }
      const auto after = device->counts();
      EXPECT_EQ(after.launches - before.launches, 2 * launches) << "on two ranks";
      EXPECT_EQ(after.copies, before.copies);
      EXPECT_EQ(after.synchronizes, before.synchronizes);
      EXPECT_EQ(after.allocations, before.allocations);
      EXPECT_EQ(after.opens, before.opens);
      for (int rank = 0; rank < 2; ++rank) ASSERT_TRUE(device->synchronize(world.stream(rank), rank).ok());
      EXPECT_EQ(scene.check(launches), "");
    }
  }
}

// Streams that are late by different times, drawn anew for each exchange.
TEST(Y01Emulated, StreamsThatAreLateByAnyTimeBringTheRightGhosts) {
  const auto device = EmulatedDevice::make(2);
  for (const Path path : {Path::peer, Path::shared}) {
    GpuWorld::Settings settings;
    settings.path = path;
    GpuWorld world(3, device, settings);
    GpuScene scene(world, gpu_row(3));
    std::mt19937 random(7);
    for (std::uint64_t step = 0; step < 30; ++step) {
      for (int rank = 0; rank < 3; ++rank)
        device->set_delay(world.stream(rank), std::chrono::microseconds(random() % 3 * 2000));
      ASSERT_EQ(scene.run(step, step % 2 == 0 ? GpuScene::Launches::one : GpuScene::Launches::two), "");
    }
  }
}

struct AfterReset {
  const char* name;
  Path path;
  bool shares_gpus = false;
  bool is_copied = false;
};

class T02Emulated : public testing::TestWithParam<AfterReset> {
 protected:
  static GpuWorld::Settings settings() {
    GpuWorld::Settings settings;
    settings.path = GetParam().path;
    settings.shares_gpus = GetParam().shares_gpus;
    if (GetParam().is_copied) settings.most_mapped_bytes = 0;
    return settings;
  }
};

// After a reset an exchange says so, and what ends afterwards asks nothing of the GPU and frees nobody's memory.
TEST_P(T02Emulated, AnExchangeAfterAResetSaysSoAndEndsWithoutTheGpu) {
  constexpr std::size_t kBytes = 12345;
  const auto device = EmulatedDevice::make(2);
  GpuWorld world(2, device, settings());
  GpuScene scene(world, gpu_row(2));
  for (std::uint64_t step = 0; step < 2; ++step) ASSERT_EQ(scene.run(step), "");
  void* before = device->allocate(0, kBytes);
  device->reset(0);
  device->reset(1);
  void* after = device->allocate_as({.ordinal = 0, .why_not_exportable = {}, .reuses_address = true}, kBytes);
  ASSERT_EQ(after, before);
  device->deallocate(before);  // too late
  EXPECT_EQ(device->facts_of(after).kind, device::MemoryKind::device);
  const auto counts = device->counts();
  for (int rank = 0; rank < 2; ++rank) {
    const Status status = scene.binding(rank).wait(scene.start(rank));
    EXPECT_EQ(status.code(), StatusCode::transport_failed);
    EXPECT_THAT(status.text(), HasSubstr("the program has reset it (cudaDeviceReset)"));
  }
  scene.bindings().clear();
  EXPECT_EQ(device->counts().launches, counts.launches);
  EXPECT_EQ(device->counts().copies, counts.copies);
  EXPECT_EQ(device->counts().synchronizes, counts.synchronizes);
  EXPECT_EQ(device->counts().stream_copies, counts.stream_copies);
  EXPECT_EQ(device->counts().deallocations, counts.deallocations);
  device->deallocate(after);
  EXPECT_EQ(device->counts().deallocations, counts.deallocations + 1);
}

INSTANTIATE_TEST_SUITE_P(Ways, T02Emulated,
                         testing::Values(AfterReset{"peer", Path::peer},
                                         AfterReset{"on_a_shared_gpu", Path::peer, true},
                                         AfterReset{"staged", Path::shared},
                                         AfterReset{"by_copy_engines", Path::shared, false, true}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace halyard::test
