// Field cases about the order of things in streams: Y01 (work before an exchange), Y03 (several exchanges in flight).
#include <gtest/gtest.h>

#include <chrono>

#include "conformance/gpu_scene.hpp"
#include "exchange/view_check.hpp"
#include "support/gpu/device_under_test.hpp"
#include "support/gpu/tools.hpp"

namespace halyard::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr auto kForward = exchange::Kind::forward;

class OnEachPath : public testing::TestWithParam<Path> {
 protected:
  static GpuWorld::Settings settings() {
    GpuWorld::Settings settings;
    settings.path = GetParam();
    return settings;
  }

  std::shared_ptr<device::Device> device_ = device_under_test();
  std::unique_ptr<GpuTools> tools_ = gpu_tools(*device_);
};

// The codes reach the GPU in the stream itself, late, with nobody waiting for them on the host.
void enqueue_fill(GpuScene& scene, GpuTools& tools, int rank, Stream stream, std::uint64_t step, milliseconds time) {
  scene.fields(rank).fill(step);
  const auto& host = scene.fields(rank).views;
  const auto& gpu = scene.mirror(rank).views();
  for (std::size_t v = 0; v < host.size(); ++v) {
    const auto bytes = exchange::span_of(host[v]);
    tools.enqueue_slow_copy(stream, exchange::span_of(gpu[v]).data(), bytes, time);
  }
}

class Y01 : public OnEachPath {};

TEST_P(Y01, WorkThatIsInTheStreamBeforeAnExchangeIsSeenByTheNeighbor) {
  GpuWorld world(2, device_, settings());
  for (const auto& problem : {gpu_row(2), gpu_planes(2)}) {
    GpuScene scene(world, problem);
    for (std::uint64_t step = 0; step < 4; ++step) {
      for (int rank = 0; rank < 2; ++rank) {
        const milliseconds time(static_cast<int>(step) % 2 == rank ? 50 : 0);
        enqueue_fill(scene, *tools_, rank, world.stream(rank), step, time);
      }
      std::uint64_t numbers[2];
      for (int rank = 0; rank < 2; ++rank) numbers[rank] = step < 2 ? scene.run_one(rank) : scene.start(rank);
      for (int rank = 0; rank < 2; ++rank) {
        const Status status = scene.binding(rank).wait(numbers[rank]);
        ASSERT_TRUE(status.ok()) << status.text();
      }
      ASSERT_EQ(scene.check(step), "") << problem.text << ", step " << step;
    }
  }
}

TEST_P(Y01, WorkOnAnotherStreamIsNotWaitedFor) {
  GpuWorld world(2, device_, settings());
  GpuScene scene(world, gpu_row(2));
  const auto unrelated = gpu_memory(device_, 0, 256);
  const std::vector<std::byte> bytes(256);
  const Stream other = device_->create_stream(0);
  ASSERT_EQ(scene.run(0), "");
  const auto since = Clock::now();
  tools_->enqueue_slow_copy(other, unrelated.get(), bytes, milliseconds(1000));
  const Status status = world.run(scene.bindings(), kForward);
  const auto took = Clock::now() - since;
  EXPECT_TRUE(status.ok()) << status.text();
  EXPECT_LT(took, milliseconds(600));
  EXPECT_TRUE(device_->synchronize(other, 0).ok());
  device_->destroy_stream(other);
}

class Y03 : public OnEachPath {};

TEST_P(Y03, TwoExchangesOfOneBindingInFlightEachBringTheirOwnValues) {
  GpuWorld world(2, device_, settings());
  GpuScene scene(world, gpu_row(2));
  for (std::uint64_t step = 0; step < 20; ++step) {
    scene.fill(step);
    std::uint64_t first[2];
    std::uint64_t second[2];
    for (int rank = 0; rank < 2; ++rank) {
      first[rank] = scene.start(rank);
      second[rank] = scene.start(rank);
    }
    for (int rank = 0; rank < 2; ++rank) {
      ASSERT_EQ(second[rank], first[rank] + 1);
      ASSERT_TRUE(scene.binding(rank).wait_in(first[rank], world.stream(rank)).ok());
      ASSERT_TRUE(scene.binding(rank).wait_in(second[rank], world.stream(rank)).ok());
    }
    for (int rank = 0; rank < 2; ++rank) ASSERT_TRUE(scene.binding(rank).wait(second[rank]).ok());
    ASSERT_EQ(scene.check(step), "") << "step " << step;
  }
}

// Binding A is held up, B is not: to wait for B brings B's ghosts soon, to wait for A does not return early.
TEST_P(Y03, TwoBindingsInFlightOnTwoStreamsEachWaitForTheirOwn) {
  GpuWorld world(2, device_, settings());
  GpuScene slow(world, gpu_row(2));
  GpuScene fast(world, gpu_row(2, 4));
  std::vector<Stream> streams;
  for (int rank = 0; rank < 2; ++rank) streams.push_back(device_->create_stream(world.ordinal(rank)));
  for (std::uint64_t step = 0; step < 4; ++step) {
    fast.fill(step);
    for (int rank = 0; rank < 2; ++rank) enqueue_fill(slow, *tools_, rank, world.stream(rank), step, milliseconds(50));
    std::uint64_t of_slow[2];
    std::uint64_t of_fast[2];
    for (int rank = 0; rank < 2; ++rank) {
      const Stream stream = streams[static_cast<std::size_t>(rank)];
      of_slow[rank] = slow.run_one(rank);
      of_fast[rank] = fast.binding(rank).run_in(stream, kForward, Reduce::sum, ReduceOrder::fixed);
    }
    for (int rank = 0; rank < 2; ++rank) ASSERT_TRUE(fast.binding(rank).wait(of_fast[rank]).ok());
    ASSERT_EQ(fast.check(step), "") << "step " << step;
    for (int rank = 0; rank < 2; ++rank) ASSERT_TRUE(slow.binding(rank).wait(of_slow[rank]).ok());
    ASSERT_EQ(slow.check(step), "") << "step " << step;
  }
  for (const Stream stream : streams) device_->destroy_stream(stream);
}

// Rank 0 starts on a stream that is held up and finishes on another one, whose later work overwrites what the exchange
// sends, and reads the ghosts that come from this rank itself.
TEST_P(Y03, AnExchangeThatFinishesOnAnotherStreamHasReadAndWrittenWhatItShould) {
  GpuWorld world(2, device_, settings());
  GpuScene scene(world, gpu_row(2));
  const Stream other = device_->create_stream(world.ordinal(0));
  for (std::uint64_t step = 0; step < 3; ++step) {
    enqueue_fill(scene, *tools_, 0, world.stream(0), step, milliseconds(50));
    scene.fields(1).fill(step);
    scene.mirror(1).upload();
    const std::uint64_t started = scene.start(0);
    const std::uint64_t of_peer = scene.run_one(1);
    ASSERT_TRUE(scene.binding(0).wait_in(started, other).ok());
    ASSERT_TRUE(device_->synchronize(other, world.ordinal(0)).ok());
    scene.mirror(0).download();
    ASSERT_EQ(scene.fields(0).check(step), "") << "step " << step;
    ASSERT_TRUE(scene.binding(1).wait(of_peer).ok());
    ASSERT_TRUE(scene.binding(0).wait(started).ok());
    ASSERT_EQ(scene.check(step), "") << "step " << step;
  }
  device_->destroy_stream(other);
}

// Two exchanges of one binding on two streams, the first one held up: they still are the first and the second.
TEST_P(Y03, ExchangesOfOneBindingOnTwoStreamsFollowEachOther) {
  GpuWorld world(2, device_, settings());
  GpuScene scene(world, gpu_row(2));
  std::vector<Stream> streams;
  for (int rank = 0; rank < 2; ++rank) streams.push_back(device_->create_stream(world.ordinal(rank)));
  for (std::uint64_t step = 0; step < 3; ++step) {
    std::uint64_t last[2];
    for (int rank = 0; rank < 2; ++rank) {
      enqueue_fill(scene, *tools_, rank, world.stream(rank), step, milliseconds(30));
      (void)scene.run_one(rank);
      last[rank] = scene.binding(rank).run_in(streams[static_cast<std::size_t>(rank)], kForward, Reduce::sum,
                                              ReduceOrder::fixed);
    }
    for (int rank = 0; rank < 2; ++rank) {
      const Status status = scene.binding(rank).wait(last[rank]);
      ASSERT_TRUE(status.ok()) << status.text();
    }
    ASSERT_EQ(scene.check(step), "") << "step " << step;
  }
  for (const Stream stream : streams) device_->destroy_stream(stream);
}

std::string name_of_path(const testing::TestParamInfo<Path>& tested) {
  return tested.param == Path::peer ? "peer" : "staged";
}
INSTANTIATE_TEST_SUITE_P(Paths, Y01, testing::Values(Path::peer, Path::shared), name_of_path);
INSTANTIATE_TEST_SUITE_P(Paths, Y03, testing::Values(Path::peer, Path::shared), name_of_path);

}  // namespace
}  // namespace halyard::test
