// Several exchanges of one binding at a time, and several bindings.
#include <gtest/gtest.h>

#include "unit/exchange/scene.hpp"

namespace halyard::test {
namespace {

using exchange::Kind;

class InFlight : public testing::TestWithParam<Exports> {};

INSTANTIATE_TEST_SUITE_P(Forms, InFlight, testing::Values(Exports::nothing, Exports::everything), name_of_form);

std::vector<std::uint64_t> all_start(Scene& scene, Scene::Bindings& bindings) {
  std::vector<std::uint64_t> numbers;
  for (int rank = 0; rank < scene.num_ranks(); ++rank)
    numbers.push_back(bindings[static_cast<std::size_t>(rank)]->start(Kind::forward, {}, {}));
  return numbers;
}

TEST_P(InFlight, FourExchangesRunAtOnceAndAFifthIsRefused) {
  Scene scene(ring_of(3), 3, {GetParam(), {}});
  scene.fill(1);
  std::vector<std::vector<std::uint64_t>> numbers;
  for (int i = 0; i < kMaxInFlight; ++i) numbers.push_back(all_start(scene, scene.bindings()));
  // In place, or without a credit, nothing is done before the ranks are driven.
  const auto refused = scene.start_forward(0);
  EXPECT_EQ(refused, BindingCore::kTooMany);
  EXPECT_TRUE(scene.binding(0).ready(refused));
  const Status status = scene.binding(0).wait(refused);
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_EQ(status.text(), "start an exchange: 4 of this binding are in flight already; wait for the oldest first");
  for (const auto& each : numbers) {
    drive_by_turns(scene.bindings(), each);
    for (const Status& outcome : outcomes(scene.bindings(), each)) EXPECT_TRUE(outcome.ok()) << outcome.text();
  }
  EXPECT_EQ(scene.check(1), "");
  EXPECT_TRUE(scene.run(Kind::forward).ok()) << "and there is room again";
}

TEST_P(InFlight, ReversesAddUp) {
  Scene scene(ring_of(3), 3, {GetParam(), {}});
  scene.fill_for_reverse(1.0, 10.0);
  std::vector<std::vector<std::uint64_t>> numbers(3);
  for (auto& each : numbers)
    for (int rank = 0; rank < 3; ++rank) each.push_back(scene.start_reverse(rank));
  for (const auto& each : numbers) drive_by_turns(scene.bindings(), each);
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(scene.fields(rank).coded[0].check_reverse_sum(1.0, 30.0), "");
}

TEST_P(InFlight, WaitingForTheLastOneEndsThemAll) {
  Scene scene(ring_of(2), 2, {GetParam(), {}});
  scene.fill(5);
  auto first = all_start(scene, scene.bindings());
  auto second = all_start(scene, scene.bindings());
  drive_by_turns(scene.bindings(), second);
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_TRUE(scene.binding(rank).wait(first[static_cast<std::size_t>(rank)]).ok());
    EXPECT_TRUE(scene.binding(rank).wait(second[static_cast<std::size_t>(rank)]).ok());
  }
  EXPECT_EQ(scene.check(5), "");
}

TEST_P(InFlight, ForwardAndReverseAlternate) {
  Scene scene(ring_of(3), 3, {GetParam(), {}});
  for (std::uint64_t step = 0; step < 20; ++step) {
    scene.fill(step);
    ASSERT_TRUE(scene.run(Kind::forward).ok());
    ASSERT_EQ(scene.check(step), "");
    scene.fill_for_reverse(0.25, 3.0);
    ASSERT_TRUE(scene.run(Kind::reverse, Reduce::sum).ok());
    for (int rank = 0; rank < 3; ++rank) ASSERT_EQ(scene.fields(rank).coded[0].check_reverse_sum(0.25, 3.0), "");
  }
}

TEST_P(InFlight, TwoBindingsMayBeStartedInOppositeOrder) {
  Scene one(ring_of(2), 2, {GetParam(), {}});
  auto other = one.bind_again();
  for (std::uint64_t step = 0; step < 10; ++step) {
    one.fill(step);
    std::vector<std::uint64_t> numbers_of_one(2);
    std::vector<std::uint64_t> numbers_of_other(2);
    numbers_of_one[0] = one.start_forward(0);
    numbers_of_other[0] = other[0]->start(Kind::forward, {}, {});
    numbers_of_other[1] = other[1]->start(Kind::forward, {}, {});
    numbers_of_one[1] = one.start_forward(1);
    drive_by_turns(other, numbers_of_other);
    drive_by_turns(one.bindings(), numbers_of_one);
    for (const Status& status : outcomes(other, numbers_of_other)) ASSERT_TRUE(status.ok()) << status.text();
    for (const Status& status : outcomes(one.bindings(), numbers_of_one)) ASSERT_TRUE(status.ok()) << status.text();
    ASSERT_EQ(one.check(step), "");
  }
}

TEST_P(InFlight, RanksMayRunInAnyOrder) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Scene scene(RandomCase::draw(seed, 4), 4, {GetParam(), {}});
    SCOPED_TRACE(scene.problem().text);
    std::mt19937_64 turns(seed);
    for (std::uint64_t step = 0; step < 3; ++step) {
      scene.fill(step);
      const auto numbers = all_start(scene, scene.bindings());
      drive_in_random_turns(scene.bindings(), numbers, turns);
      for (const Status& status : outcomes(scene.bindings(), numbers)) ASSERT_TRUE(status.ok()) << status.text();
      ASSERT_EQ(scene.check(step), "");
    }
  }
}

}  // namespace
}  // namespace halyard::test
