// Field case Y05: a sender that goes on while its receiver is slow must not overwrite what was not read yet.
#include <gtest/gtest.h>

#include "unit/exchange/scene.hpp"

namespace halyard::test {
namespace {

constexpr int kSteps = 50;
constexpr int kManyTurns = 100;

bool is_ready_after(Scene& scene, int rank, std::uint64_t number, int turns) {
  for (int i = 0; i < turns; ++i)
    if (scene.binding(rank).ready(number)) return true;
  return false;
}

// Rank 1 receives and sends nothing, so that nothing but its reading can hold rank 0 up.
TEST(SlowReceiver, Y05InPlaceTheSenderIsNotDoneBeforeItsFieldWasRead) {
  Scene scene(one_way_line_of(2), 2, {Exports::everything, {}});
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    scene.fill(step);
    const auto sent = scene.start_forward(0);
    ASSERT_FALSE(is_ready_after(scene, 0, sent, kManyTurns)) << "step " << step << ": nobody has read its field";
    const auto received = scene.start_forward(1);
    ASSERT_FALSE(is_ready_after(scene, 0, sent, kManyTurns)) << "step " << step << ": starting is not reading";
    ASSERT_TRUE(is_ready_after(scene, 1, received, 1));
    ASSERT_TRUE(is_ready_after(scene, 0, sent, 1));
    ASSERT_EQ(scene.check(step), "");
  }
}

TEST(SlowReceiver, Y05InPlaceNeitherIsAReversesSender) {
  Scene scene(one_way_line_of(2), 2, {Exports::everything, {}});
  for (int step = 0; step < kSteps; ++step) {
    scene.fill_for_reverse(1.0, step);
    const auto sent = scene.start_reverse(1);
    ASSERT_FALSE(is_ready_after(scene, 1, sent, kManyTurns));
    const auto received = scene.start_reverse(0);
    ASSERT_TRUE(is_ready_after(scene, 0, received, 1));
    ASSERT_TRUE(is_ready_after(scene, 1, sent, 1));
    ASSERT_EQ(scene.fields(0).coded[0].check_reverse_sum(1.0, step), "");
  }
}

TEST(SlowReceiver, Y05ThroughAMailboxTheSenderGoesOnAndTheReceiverGetsEachStep) {
  Scene scene(one_way_line_of(2), 2);
  for (std::uint64_t step = 0; step < kSteps; step += 2) {
    std::uint64_t sent = 0;
    for (std::uint64_t ahead = 0; ahead < 2; ++ahead) {
      scene.fields(0).fill(step + ahead);
      sent = scene.start_forward(0);
      ASSERT_TRUE(is_ready_after(scene, 0, sent, 1)) << "two messages may be on their way";
    }
    scene.fields(0).fill(9999);  // what the sender does next must not reach the receiver
    sent = scene.start_forward(0);
    ASSERT_FALSE(is_ready_after(scene, 0, sent, kManyTurns)) << "but not a third";
    for (std::uint64_t behind = 0; behind < 2; ++behind) {
      scene.fields(1).fill(step + behind);
      ASSERT_TRUE(is_ready_after(scene, 1, scene.start_forward(1), 1));
      ASSERT_EQ(scene.fields(1).check(step + behind), "");
    }
    ASSERT_TRUE(is_ready_after(scene, 0, sent, 1));
    ASSERT_TRUE(is_ready_after(scene, 1, scene.start_forward(1), 1));
  }
}

TEST(SlowReceiver, LeavesItsOtherNeighborsAlone) {
  Scene scene(one_way_line_of(3), 3, {Exports::everything, {}});
  scene.fill(1);
  const auto first = scene.start_forward(0);
  const auto second = scene.start_forward(1);
  EXPECT_TRUE(scene.binding(1).wait_on(second, 0).ok());
  EXPECT_TRUE(is_ready_after(scene, 0, first, 1)) << "rank 1 has read, although rank 2 has not started";
  EXPECT_FALSE(is_ready_after(scene, 1, second, kManyTurns));
  EXPECT_TRUE(is_ready_after(scene, 2, scene.start_forward(2), 1));
  EXPECT_TRUE(is_ready_after(scene, 1, second, 1));
  EXPECT_EQ(scene.check(1), "");
}

}  // namespace
}  // namespace halyard::test
