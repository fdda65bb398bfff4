// Field cases about ranks and threads: I05 (more ranks than GPUs), L05 (a thread that never touched the GPU), F01
// (which path was taken, and its bytes).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "conformance/gpu_scene.hpp"
#include "support/gpu/device_under_test.hpp"
#include "unit/error_text.hpp"

namespace halyard::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

GpuWorld::Settings on(Path path) {
  GpuWorld::Settings settings;
  settings.path = path;
  return settings;
}

TEST(F01, StagedMessagesAreNamedInTheTableAndTheirBytesCounted) {
  GpuWorld world(3, device_under_test(), on(Path::shared));
  GpuScene scene(world, gpu_row(3));
  constexpr std::uint64_t kSteps = 5;
  for (std::uint64_t step = 0; step < kSteps; ++step)
    ASSERT_EQ(scene.run(step, step % 2 == 0 ? GpuScene::Launches::one : GpuScene::Launches::two), "");
  std::uint64_t staged = 0;
  for (int rank = 0; rank < 3; ++rank) {
    staged += scene.binding(rank).staged_bytes();
    EXPECT_THAT(scene.binding(rank).explain(), AllOf(HasSubstr("shared staged over shared"), HasSubstr("peer: ")));
  }
  EXPECT_GT(staged, 0U);
  EXPECT_EQ(staged, kSteps * bytes_sent(scene));
}

TEST(F01, MessagesFromGpuToGpuAreNamedInTheTableAndStageNothing) {
  GpuWorld world(2, device_under_test());
  GpuScene landed(world, gpu_row(2));
  GpuScene direct(world, gpu_planes(2));
  for (std::uint64_t step = 0; step < 3; ++step) {
    ASSERT_EQ(landed.run(step), "");
    ASSERT_EQ(direct.run(step), "");
  }
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_THAT(landed.binding(rank).explain(), AllOf(HasSubstr("peer   landing"), HasSubstr("0 B staged")));
    EXPECT_THAT(direct.binding(rank).explain(), AllOf(HasSubstr("peer   direct"), HasSubstr("0 B staged")));
    EXPECT_EQ(landed.binding(rank).staged_bytes() + direct.binding(rank).staged_bytes(), 0U);
  }
}

TEST(F01, WithoutLeaveToStageABindingIsRefusedWithTheReason) {
  GpuWorld::Settings strict = on(Path::shared);
  strict.allow_staging = false;
  GpuWorld world(2, device_under_test(), strict);
  const std::string text = error_text(StatusCode::not_supported, [&] { GpuScene scene(world, gpu_row(2)); });
  EXPECT_THAT(text, AllOf(HasSubstr("messages to rank 1"), HasSubstr("staged through host memory"),
                          HasSubstr("HALYARD_ALLOW_STAGING"), HasSubstr("path peer: ")));
}

TEST(L05, AThreadThatNeverTouchedTheGpuMayStartAndWait) {
  for (const Path path : {Path::peer, Path::shared}) {
    GpuWorld world(2, device_under_test(), on(path));
    GpuScene scene(world, gpu_row(2));
    for (std::uint64_t step = 0; step < 3; ++step) {
      std::string wrong = "the thread did not run";
      std::thread([&] { wrong = scene.run(step); }).join();
      ASSERT_EQ(wrong, "");
    }
  }
}

TEST(L05, AThreadThatNeverTouchedTheGpuMayBindAndDestroy) {
  GpuWorld world(2, device_under_test());
  std::string wrong = "the thread did not run";
  std::thread([&] {
    GpuScene scene(world, gpu_planes(2));
    wrong = scene.run(1);
  }).join();
  EXPECT_EQ(wrong, "");
}

TEST(I05, FourRanksOnOneGpuAreRightForAHundredSteps) {
  const auto device = device_under_test();
  GpuWorld world(std::vector(4, device), std::vector(4, 0), GpuWorld::Settings{});
  GpuScene scene(world, gpu_row(4));
  for (std::uint64_t step = 0; step < 100; ++step) ASSERT_EQ(scene.run(step), "") << "step " << step;
}

}  // namespace
}  // namespace halyard::test
