// Exchanges on a GPU that cannot end: who learns what, in time, and that nothing hangs or is freed too early
// afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "conformance/gpu_scene.hpp"
#include "support/gpu/device_under_test.hpp"

namespace halyard::test {
namespace {

using exchange::Kind;
using testing::AllOf;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

struct Way {
  const char* name;
  Path path;
  bool has_progress_thread;
  const char* words;  // of a report
  bool shares_gpus = false;
  bool is_copied = false;
};

constexpr Way kWays[] = {
    {"peer", Path::peer, true, "path peer (landing)"},
    {"staged", Path::shared, true, "path staged (staged over shared)"},
    {"peer_on_a_shared_gpu", Path::peer, true, "path peer (landing)", true},
    {"staged_by_copy_engines", Path::shared, true, "path staged (staged over shared by copy engines)", false, true},
    {"staged_by_the_caller", Path::shared, false, "path staged (staged over shared)"}};

class GpuFailure : public testing::TestWithParam<Way> {
 public:
  static const Way& way() { return GetParam(); }
  static constexpr double kShort = 0.2;
  static constexpr double kSlack = 5;  // two cores, other jobs

  static GpuWorld::Settings with_deadline(double seconds) {
    GpuWorld::Settings settings;
    settings.path = GetParam().path;
    settings.has_progress_thread = GetParam().has_progress_thread;
    settings.wait.deadline_s = seconds;
    settings.shares_gpus = GetParam().shares_gpus;
    if (GetParam().is_copied) settings.most_mapped_bytes = 0;
    return settings;
  }
};

// Whoever drives staged messages itself cannot wait in one launch for a rank that this very thread starts later.
std::uint64_t start(GpuScene& scene, int rank, Kind kind = Kind::forward) {
  return GpuFailure::way().has_progress_thread ? scene.run_one(rank, kind) : scene.start(rank, kind);
}

std::string run(GpuScene& scene, std::uint64_t step) {
  return scene.run(step, GpuFailure::way().has_progress_thread ? GpuScene::Launches::one : GpuScene::Launches::two);
}

// What a rank's exchanges end with when its peers do nothing more; it may first take what had come before.
Status end_of(GpuScene& scene, int rank) {
  Status status;
  for (int i = 0; i < 4 && status.ok(); ++i) status = scene.binding(rank).wait(start(scene, rank));
  return status;
}

TEST_P(GpuFailure, ARankThatNeverStartsIsNamedInTimeAndLaterExchangesSayTheSame) {
  GpuWorld world(2, device_under_test(), with_deadline(kShort));
  GpuScene scene(world, gpu_row(2));
  ASSERT_EQ(run(scene, 0), "");
  ASSERT_EQ(run(scene, 1), "");
  const auto since = Clock::now();
  const Status status = scene.binding(0).wait(start(scene, 0));
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - since).count(), kShort + kSlack);
  EXPECT_EQ(status.code(), StatusCode::timeout);
  EXPECT_THAT(status.text(),
              AllOf(HasSubstr("rank 0 waits for rank 1"), HasSubstr("field coded0"), HasSubstr("forward 3"),
                    HasSubstr(way().words), HasSubstr("the deadline of 0.2 s passed")));
  for (const Kind kind : {Kind::forward, Kind::reverse}) {
    const std::uint64_t next = start(scene, 0, kind);
    EXPECT_TRUE(scene.binding(0).ready(next));
    EXPECT_EQ(scene.binding(0).wait(next).text(), status.text());
    EXPECT_EQ(scene.binding(0).wait_in(next, world.stream(0)).text(), status.text());
  }
  const Status late = end_of(scene, 1);
  EXPECT_EQ(late.code(), StatusCode::peer_failed) << late.text();
  EXPECT_THAT(late.text(), HasSubstr("rank 0"));
}

TEST_P(GpuFailure, RanksThatStartDifferentExchangesDisagreeLongBeforeTheDeadline) {
  GpuWorld world(2, device_under_test(), with_deadline(30));
  GpuScene scene(world, gpu_row(2));
  ASSERT_EQ(run(scene, 0), "");
  const auto since = Clock::now();
  const std::uint64_t numbers[] = {start(scene, 0, Kind::forward), start(scene, 1, Kind::reverse)};
  for (bool all_done = false; !all_done;)
    all_done = scene.binding(0).ready(numbers[0]) & scene.binding(1).ready(numbers[1]);
  int num_disagreements = 0;
  std::string texts;
  for (int rank = 0; rank < 2; ++rank) {
    const Status status = scene.binding(rank).wait(numbers[rank]);
    EXPECT_TRUE(status.code() == StatusCode::disagreement || status.code() == StatusCode::peer_failed) << status.text();
    texts += status.text() + "\n";
    num_disagreements += status.code() == StatusCode::disagreement ? 1 : 0;
  }
  EXPECT_GE(num_disagreements, 1) << texts;
  EXPECT_LT(std::chrono::duration<double>(Clock::now() - since).count(), 15);
}

TEST_P(GpuFailure, ARankThatIsToldByNobodyButItsNeighborFailsToo) {
  GpuWorld world(4, device_under_test(), with_deadline(kShort));
  RandomCase problem = gpu_row(4);
  problem.halo.periodic = {false, false, false};  // rank 0 has no neighbor but 1
  GpuScene scene(world, problem);
  std::vector<std::uint64_t> numbers;
  for (int rank = 0; rank < 3; ++rank) numbers.push_back(start(scene, rank));
  EXPECT_FALSE(scene.binding(2).wait(numbers[2]).ok());
  for (int rank = 0; rank < 3; ++rank) {
    const Status status = end_of(scene, rank);
    EXPECT_TRUE(status.code() == StatusCode::timeout || status.code() == StatusCode::peer_failed) << status.text();
  }
}

TEST_P(GpuFailure, BindingsAreDestroyedInAnyOrderAfterAnExchange) {
  std::vector<std::size_t> order{0, 1, 2};
  do {
    GpuWorld world(3, device_under_test(), with_deadline(10));
    GpuScene scene(world, gpu_row(3));
    ASSERT_EQ(run(scene, 0), "");
    for (const std::size_t rank : order) scene.bindings()[rank].reset();
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_P(GpuFailure, BindingsAreDestroyedInAnyOrderWithExchangesInFlight) {
  for (const std::array<std::size_t, 3> order : {std::array<std::size_t, 3>{0, 1, 2}, {2, 0, 1}}) {
    GpuWorld world(3, device_under_test(), with_deadline(kShort));
    GpuScene scene(world, gpu_row(3));
    for (int rank = 0; rank < 3; ++rank) (void)scene.start(rank);
    for (const std::size_t rank : order) scene.bindings()[rank].reset();
  }
}

TEST_P(GpuFailure, ABindingThatIsDestroyedWhileItsPeerDoesNothingLetsItsPeerFailInTime) {
  for (const bool is_one : {true, false}) {
    GpuWorld world(2, device_under_test(), with_deadline(kShort));
    GpuScene scene(world, gpu_planes(2));
    ASSERT_EQ(run(scene, 0), "");
    (void)(is_one ? start(scene, 0) : scene.start(0));
    scene.bindings()[0].reset();
    const Status status = end_of(scene, 1);
    EXPECT_TRUE(status.code() == StatusCode::timeout || status.code() == StatusCode::peer_failed) << status.text();
  }
}

// The first exchange fails while the second one's kernel still runs on another stream: its memory must stay till it
// ends.
TEST_P(GpuFailure, AFailedBindingKeepsItsMemoryUntilItsKernelsHaveEnded) {
  const auto device = device_under_test();
  GpuWorld world(2, device, with_deadline(kShort));
  const Stream other = device->create_stream(world.ordinal(0));
  {
    GpuScene scene(world, gpu_planes(2));
    const std::uint64_t first = scene.start(0);
    (void)scene.binding(0).start_in(other, Kind::forward, Reduce::sum, ReduceOrder::fixed);
    EXPECT_FALSE(scene.binding(0).wait(first).ok());
  }
  EXPECT_TRUE(device->synchronize(other, world.ordinal(0)).ok());
  device->destroy_stream(other);
}

INSTANTIATE_TEST_SUITE_P(Ways, GpuFailure, testing::ValuesIn(kWays),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace halyard::test
