// Field case Y08: an exchange while its stream is captured works, or is refused and leaves stream and binding as they
// are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/gpu_scene.hpp"
#include "support/gpu/device_under_test.hpp"
#include "support/gpu/tools.hpp"

namespace halyard::test {
namespace {

using testing::HasSubstr;
using Launches = GpuScene::Launches;

enum class Moved { by_kernels, through_mapped_memory, by_copy_engines };

class Y08 : public testing::TestWithParam<std::tuple<Moved, Launches, bool>> {
 protected:
  static GpuWorld::Settings settings() {
    GpuWorld::Settings settings;
    if (std::get<0>(GetParam()) != Moved::by_kernels) settings.path = Path::shared;
    if (std::get<0>(GetParam()) == Moved::by_copy_engines) settings.most_mapped_bytes = 0;
    settings.shares_gpus = std::get<2>(GetParam());
    return settings;
  }
  static bool is_one() { return std::get<1>(GetParam()) == Launches::one; }

  /// What each rank's stream is given for `times` exchanges, as graphs.
  std::vector<std::shared_ptr<void>> captured(GpuScene& scene, int times) {
    std::vector<std::shared_ptr<void>> graphs;
    for (int rank = 0; rank < scene.num_ranks(); ++rank) {
      const Stream stream = scene.world().stream(rank);
      tools_->begin_capture(stream);
      for (int i = 0; i < times; ++i) {
        const std::uint64_t number = is_one() ? scene.run_one(rank) : scene.start(rank);
        EXPECT_TRUE(scene.binding(rank).wait_in(number, stream).ok());
      }
      graphs.push_back(tools_->end_capture(stream));
    }
    return graphs;
  }

  void replay(GpuScene& scene, const std::vector<std::shared_ptr<void>>& graphs) {
    for (int rank = 0; rank < scene.num_ranks(); ++rank)
      tools_->replay(graphs[static_cast<std::size_t>(rank)], scene.world().stream(rank));
    for (int rank = 0; rank < scene.num_ranks(); ++rank) {
      const Status status = device_->synchronize(scene.world().stream(rank), scene.world().ordinal(rank));
      ASSERT_TRUE(status.ok()) << status.text();
    }
  }

  std::shared_ptr<device::Device> device_ = device_under_test();
  std::unique_ptr<GpuTools> tools_ = gpu_tools(*device_);
};

TEST_P(Y08, ACapturedExchangeIsRightEachTimeItIsReplayed) {
  GpuWorld world(2, device_, settings());
  for (const auto& problem : {gpu_row(2), gpu_planes(2)}) {
    GpuScene scene(world, problem);
    const auto graphs = captured(scene, 1);
    for (std::uint64_t step = 0; step < 8; ++step) {
      scene.fill(step);
      replay(scene, graphs);
      ASSERT_EQ(scene.check(step), "") << problem.text << ", replay " << step;
    }
  }
}

TEST_P(Y08, GraphsOfSeveralExchangesAndExchangesWithoutAGraphTakeTurns) {
  GpuWorld world(2, device_, settings());
  GpuScene scene(world, gpu_row(2));
  ASSERT_EQ(scene.run(100), "") << "before any capture";
  const auto graphs = captured(scene, 3);
  for (std::uint64_t step = 0; step < 4; ++step) {
    scene.fill(step);
    replay(scene, graphs);
    ASSERT_EQ(scene.check(step), "") << "replay " << step;
    ASSERT_EQ(scene.run(200 + step, std::get<1>(GetParam())), "") << "after replay " << step;
  }
}

std::string name_of_case(const testing::TestParamInfo<std::tuple<Moved, Launches, bool>>& tested) {
  constexpr const char* kNames[] = {"peer", "staged", "staged_by_copy_engines"};
  return std::string(kNames[static_cast<std::size_t>(std::get<0>(tested.param))]) +
         (std::get<1>(tested.param) == Launches::one ? "_in_one_launch" : "_in_two") +
         (std::get<2>(tested.param) ? "_on_a_shared_gpu" : "");
}
INSTANTIATE_TEST_SUITE_P(Ways, Y08,
                         testing::Combine(testing::Values(Moved::by_kernels, Moved::through_mapped_memory,
                                                          Moved::by_copy_engines),
                                          testing::Values(Launches::one, Launches::two), testing::Bool()),
                         name_of_case);

TEST(Y08Refused, WhereTheCallerMustDriveStagedMessagesACaptureIsRefusedAndNothingIsBroken) {
  const auto device = device_under_test();
  const auto tools = gpu_tools(*device);
  GpuWorld::Settings settings;
  settings.path = Path::shared;
  settings.has_progress_thread = false;
  GpuWorld world(2, device, settings);
  GpuScene scene(world, gpu_row(2));
  ASSERT_EQ(scene.run(0, Launches::two), "");
  tools->begin_capture(world.stream(0));
  const std::uint64_t number = scene.run_one(0);
  const auto graph = tools->end_capture(world.stream(0));
  const Status status = scene.binding(0).wait(number);
  EXPECT_EQ(status.code(), StatusCode::not_supported);
  EXPECT_THAT(status.text(), HasSubstr("capture an exchange into a graph"));
  tools->replay(graph, world.stream(0));  // valid, and empty
  EXPECT_TRUE(device->synchronize(world.stream(0), world.ordinal(0)).ok());
  EXPECT_EQ(scene.run(1, Launches::two), "") << "afterwards";
}

}  // namespace
}  // namespace halyard::test
