// What lies in landing buffers: messages of different sizes each way, and packets beside messages that are none.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "conformance/gpu_scene.hpp"
#include "exchange/view_check.hpp"
#include "support/gpu/device_under_test.hpp"
#include "support/gpu/tools.hpp"

namespace halyard::test {
namespace {

// Faces of x with short rows: to one side just small enough for packets, to the other side just too large.
TEST(Landing, PacketsHaveTheirRoomAlsoWhereTheMessageTheOtherWayIsLarger) {
  for (const auto& [lo, hi] : {std::pair<std::int64_t, std::int64_t>{17, 16}, {16, 17}, {16, 32}}) {
    RandomCase problem = gpu_row(2);
    problem.halo.cells = Decomposition::grid(Box::of_extent({2 * 32, 64, 32}), {2, 1, 1});
    problem.halo.periodic = {false, false, false};
    problem.halo.width = {{lo, 0, 0}, {hi, 0, 0}};
    GpuWorld world(2, device_under_test());
    GpuScene scene(world, problem);
    for (std::uint64_t step = 0; step < 3; ++step) ASSERT_EQ(scene.run(step), "") << lo << " and " << hi;
  }
}

// A packet carries the exchange's number as a flag. A reverse exchange lands bytes that look like the packets of the
// forward exchange after next; the owner is late then, and its neighbor must wait for the real ones.
TEST(Landing, BytesOfAReverseExchangeAreNotTakenForPacketsOfALaterForwardOne) {
  const auto device = device_under_test();
  const auto tools = gpu_tools(*device);
  RandomCase problem = gpu_row(2);
  problem.halo.periodic = {false, false, false};
  problem.fields[0].element = ElementType::of<std::int64_t>(1);
  GpuWorld world(2, device);
  GpuScene scene(world, problem);
  constexpr std::int64_t kLikeFlagOfThree = (3 << 8) | 1;
  const auto set_all = [&](int rank, std::int64_t value) {
    const auto bytes = exchange::span_of(scene.fields(rank).views[0]);
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(value))
      std::memcpy(bytes.data() + at, &value, sizeof(value));
  };
  for (int rank = 0; rank < 2; ++rank) {
    set_all(rank, kLikeFlagOfThree);
    scene.mirror(rank).upload();
  }
  for (const auto kind : {exchange::Kind::reverse, exchange::Kind::forward})
    ASSERT_TRUE(world.run(scene.bindings(), kind).ok());
  scene.fill(9);
  const auto bytes = exchange::span_of(scene.fields(0).views[0]);
  tools->enqueue_slow_copy(world.stream(0), exchange::span_of(scene.mirror(0).views()[0]).data(), bytes,
                           std::chrono::milliseconds(50));
  ASSERT_TRUE(world.run(scene.bindings(), exchange::Kind::forward).ok());
  EXPECT_EQ(scene.check(9), "");
}

}  // namespace
}  // namespace halyard::test
