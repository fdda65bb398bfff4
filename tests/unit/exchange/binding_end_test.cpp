// The end of a binding: exchanges in flight are finished, channels that a peer may still write to are handed on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log.hpp"
#include "unit/exchange/scene.hpp"

namespace halyard::test {
namespace {

using exchange::Kind;
using testing::HasSubstr;

TEST(BindingEnd, FinishesExchangesThatAreStillRunning) {
  Scene scene(ring_of(2), 2);
  scene.fill(6);
  (void)scene.start_forward(0);
  (void)scene.start_forward(1);
  scene.bindings().clear();
  EXPECT_EQ(scene.check(6), "");
}

TEST(BindingEnd, WaitsNoLongerThanItsDeadlineAndSaysSo) {
  Scene scene(ring_of(2), 2, {Exports::nothing, {}, {0, 0.05}});
  (void)scene.start_forward(0);
  base::set_log("warn", 0);
  testing::internal::CaptureStderr();
  scene.bindings()[0].reset();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("close a binding with exchanges in flight: rank 0 waits for rank 1, field coded0, forward 1"));
}

TEST(BindingEnd, DoesNotWaitForABindingThatHasFailed) {
  Scene scene(ring_of(2), 2, {Exports::nothing, {}, {0, 0.05}});
  const auto number = scene.start_forward(0);
  EXPECT_EQ(scene.binding(0).wait(number).code(), StatusCode::timeout);
  testing::internal::CaptureStderr();
  scene.bindings()[0].reset();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the failure was reported already";
}

// The late rank's message must not land in memory that is used again (address sanitizer looks on).
TEST(BindingEnd, KeepsWhatALateRankStillWritesTo) {
  Scene scene(one_way_line_of(2), 2, {Exports::nothing, {}, {0, 0.05}});
  const auto number = scene.start_forward(1);
  EXPECT_EQ(scene.binding(1).wait(number).code(), StatusCode::timeout);
  scene.bindings()[1].reset();
  const auto late = scene.start_forward(0);
  EXPECT_TRUE(scene.binding(0).ready(late));
}

constexpr base::WaitPolicy kPatient{base::WaitPolicy::kYieldEarly, 20.0};

class BindingEndIn : public testing::TestWithParam<Exports> {};

INSTANTIATE_TEST_SUITE_P(Forms, BindingEndIn, testing::Values(Exports::nothing, Exports::everything), name_of_form);

TEST_P(BindingEndIn, IsToldToARankThatGoesOnExchanging) {
  Scene scene(ring_of(2), 2, {GetParam(), {}, kPatient});
  EXPECT_TRUE(scene.run(Kind::forward).ok());
  scene.bindings()[0].reset();
  const Status status = scene.binding(1).wait(scene.start_forward(1));
  EXPECT_EQ(status.code(), StatusCode::peer_failed);
  EXPECT_THAT(status.text(), HasSubstr("rank 0 has destroyed its binding"));
}

TEST_P(BindingEndIn, HurtsNoBindingThatHasTakenItsMemory) {
  Scene scene(ring_of(2), 2, {GetParam(), {}, kPatient});
  EXPECT_TRUE(scene.run(Kind::forward).ok());
  scene.bindings()[0].reset();
  auto others = scene.bind_again();
  (void)scene.start_forward(1);
  scene.fill(8);
  EXPECT_TRUE(LoopbackWorld::run(others, Kind::forward).ok());
  EXPECT_EQ(scene.check(8), "");
}

// It needs nothing of the other rank; only when its credits run out there is something to tell.
TEST(BindingEnd, IsToldToARankThatOnlySendsWhenItsMessagesAreNotTakenAnyMore) {
  Scene scene(one_way_line_of(2), 2);
  EXPECT_TRUE(scene.run(Kind::forward).ok());
  scene.bindings()[1].reset();
  for (int n = 0; n < 2; ++n) EXPECT_TRUE(scene.binding(0).wait(scene.start_forward(0)).ok());
  const Status status = scene.binding(0).wait(scene.start_forward(0));
  EXPECT_EQ(status.code(), StatusCode::peer_failed);
  EXPECT_THAT(status.text(), HasSubstr("rank 1 has destroyed its binding"));
}

// In fixed order the ranks behind one that is late wait for their turn; who has nothing to give has none to wait for.
TEST_P(BindingEndIn, OfARankThatWasOnlySentToIsNoFailureForARankThatWaitsForAnother) {
  RandomCase problem = one_way_line_of(3);
  problem.halo.width = problem.halo.width.mirrored();  // in reverse, rank r gives to rank r + 1
  Scene scene(problem, 3, {GetParam(), nullptr, {base::WaitPolicy::kYieldEarly, 20.0}});
  const auto of_1 = scene.start_reverse(1, Reduce::sum, ReduceOrder::fixed);
  EXPECT_TRUE(scene.binding(2).wait(scene.start_reverse(2, Reduce::sum, ReduceOrder::fixed)).ok());
  scene.bindings()[2].reset();
  EXPECT_FALSE(scene.binding(1).ready(of_1));
  const auto of_0 = scene.start_reverse(0, Reduce::sum, ReduceOrder::fixed);
  const Status status = scene.binding(1).wait(of_1);
  EXPECT_TRUE(status.ok()) << status.text();
  EXPECT_TRUE(scene.binding(0).wait(of_0).ok());
}

// Two ranks assembled by hand, so that their surroundings can be watched.
struct Pair {
  explicit Pair(const RandomCase& problem) {
    std::vector<exchange::Assembly> assemblies;
    for (int rank = 0; rank < 2; ++rank) {
      const Pattern pattern = box_halo(problem.halo, rank);
      workers.push_back(transport::loopback::open_worker(Path::shared, Exports::nothing));
      fields.emplace_back(problem, pattern);
      exchange::Surroundings around;
      around.binding = 1;
      around.wait = {0, 0.05};
      around.retire = [this](std::unique_ptr<transport::Channel> channel) { retired.push_back(std::move(channel)); };
      around.is_running = [this] { return is_running; };
      exchange::Workers open{};
      open[static_cast<std::size_t>(Path::shared)] = workers.back().get();
      assemblies.emplace_back(Plan(pattern, fields.back().shapes, PathFacts::uniform(Path::shared, rank, 2)),
                              fields.back().views, open, around);
    }
    const auto windows_of_0 = assemblies[0].windows();
    assemblies[0].open(assemblies[1].windows());
    assemblies[1].open(windows_of_0);
    const auto addresses_of_0 = assemblies[0].addresses();
    bindings.push_back(assemblies[0].connect(assemblies[1].addresses()));
    bindings.push_back(assemblies[1].connect(addresses_of_0));
  }

  std::vector<std::unique_ptr<transport::Worker>> workers;
  std::vector<RankFields> fields;
  std::vector<std::unique_ptr<transport::Channel>> retired;
  bool is_running = true;
  std::vector<std::unique_ptr<BindingCore>> bindings;
};

TEST(BindingEnd, RetiresAChannelWhoseMessageWasNotConsumed) {
  Pair pair(one_way_line_of(2));
  EXPECT_TRUE(pair.bindings[0]->wait(pair.bindings[0]->start(Kind::forward, {}, {})).ok());
  pair.bindings[0].reset();
  ASSERT_EQ(pair.retired.size(), 1U);
  EXPECT_FALSE(pair.retired[0]->is_quiet());
  EXPECT_TRUE(pair.bindings[1]->wait(pair.bindings[1]->start(Kind::forward, {}, {})).ok());
  EXPECT_TRUE(pair.retired[0]->is_quiet()) << "and may be closed now";
  pair.bindings[1].reset();
  EXPECT_EQ(pair.retired.size(), 1U) << "a quiet channel is closed at once";
}

TEST(BindingEnd, TouchesNothingOnceNothingRunsAnyMore) {
  Pair pair(one_way_line_of(2));
  (void)pair.bindings[1]->start(Kind::forward, {}, {});
  pair.is_running = false;
  testing::internal::CaptureStderr();
  pair.bindings.clear();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(pair.retired.empty());
}

}  // namespace
}  // namespace halyard::test
