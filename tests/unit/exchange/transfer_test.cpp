// Transfer: wait, wait_on, ready; what a transfer that was never started says; who may call.
#include <gtest/gtest.h>

#include <thread>

#include "unit/exchange/scene.hpp"

namespace halyard::test {
namespace {

using exchange::Kind;

TEST(Transfer, WaitsOnOneNeighborWhileAnotherIsStillAway) {
  Scene scene(ring_of(3), 3);
  scene.fill(3);
  Transfer mine(&scene.binding(1), scene.start_forward(1));
  const auto zero = scene.start_forward(0);
  EXPECT_TRUE(mine.wait_on(0).ok());
  EXPECT_FALSE(mine.ready()) << "rank 2 has not started yet";
  const auto two = scene.start_forward(2);
  EXPECT_TRUE(mine.wait_on(2).ok());
  EXPECT_TRUE(mine.wait().ok());
  EXPECT_TRUE(mine.ready());
  EXPECT_TRUE(scene.binding(0).wait(zero).ok());
  EXPECT_TRUE(scene.binding(2).wait(two).ok());
  EXPECT_EQ(scene.check(3), "");
}

TEST(Transfer, CanBeWaitedForAgain) {
  Scene scene(ring_of(1), 1);
  scene.fill(1);
  Transfer transfer(&scene.binding(0), scene.start_forward(0));
  EXPECT_TRUE(transfer.wait().ok());
  EXPECT_TRUE(transfer.wait().ok());
  EXPECT_TRUE(transfer.wait_on(0).ok());
  EXPECT_EQ(scene.check(1), "");
}

TEST(Transfer, WaitsOnItselfAsANeighborLikeAnyOther) {
  Scene scene(ring_of(1), 1);
  scene.fill(2);
  EXPECT_TRUE(Transfer(&scene.binding(0), scene.start_forward(0)).wait_on(0).ok());
  EXPECT_EQ(scene.check(2), "");
}

TEST(Transfer, RefusesToWaitOnARankThatIsNoNeighbor) {
  Scene scene(one_way_line_of(3), 3);
  const Status status = Transfer(&scene.binding(0), scene.start_forward(0)).wait_on(2);
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_EQ(status.text(), "wait on rank 2: it is no neighbor of this rank");
}

TEST(Transfer, ThatBelongsToNoExchangeSaysSo) {
  Transfer transfer;
  EXPECT_EQ(transfer.wait().code(), StatusCode::invalid_argument);
  EXPECT_EQ(transfer.wait().text(), "wait for a Transfer that belongs to no exchange");
  EXPECT_EQ(transfer.wait_on(1).text(), "wait for a Transfer that belongs to no exchange");
  EXPECT_TRUE(transfer.ready()) << "wait() would return at once";
}

TEST(Transfer, OfANumberThatWasNeverStartedSaysSo) {
  Scene scene(ring_of(2), 2);
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{77}}) {
    Transfer transfer(&scene.binding(0), number);
    EXPECT_EQ(transfer.wait().code(), StatusCode::invalid_argument);
    EXPECT_EQ(transfer.wait().text(), "wait for an exchange that was never started");
    EXPECT_EQ(transfer.wait_on(1).text(), "wait for an exchange that was never started");
    EXPECT_TRUE(transfer.ready()) << number;
  }
  EXPECT_TRUE(scene.run(Kind::forward).ok()) << "asking did no harm";
}

TEST(Transfer, OfAReverseOfOpaqueElementsIsRefused) {
  RandomCase problem = ring_of(2);
  problem.fields.push_back(problem.fields[0]);
  problem.fields[1].element = ElementType::opaque(8);
  Scene scene(std::move(problem), 2);
  const auto number = scene.start_reverse(0);
  EXPECT_EQ(number, BindingCore::kOpaque);
  EXPECT_TRUE(scene.binding(0).ready(number));
  const Status status = scene.binding(0).wait(number);
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_EQ(status.text(),
            "start a reverse exchange: a field has opaque elements, which cannot be reduced; give its scalar type");
  scene.fill(1);
  EXPECT_TRUE(scene.run(Kind::forward).ok()) << "a refused exchange takes no number";
  EXPECT_EQ(scene.check(1), "");
}

// One rank, whose neighbor it is itself, under a thread rule.
std::unique_ptr<BindingCore> ruled_binding(RankFields& fields, const Pattern& pattern, std::thread::id only) {
  exchange::Surroundings around;
  around.threads.only = only;
  exchange::Assembly assembly(Plan(pattern, fields.shapes, PathFacts::uniform(Path::shared, 0, 1)), fields.views, {},
                              around);
  assembly.open({});
  return assembly.connect({});
}

TEST(ThreadRule, RefusesEveryOtherThread) {
  const RandomCase problem = ring_of(1);
  const Pattern pattern = box_halo(problem.halo, 0);
  RankFields fields(problem, pattern);
  std::thread::id other;
  std::thread([&] { other = std::this_thread::get_id(); }).join();
  const auto binding = ruled_binding(fields, pattern, other);
  const auto number = binding->start(Kind::forward, {}, {});
  EXPECT_EQ(number, BindingCore::kWrongThread);
  EXPECT_TRUE(binding->ready(number));
  for (const std::uint64_t each : {number, std::uint64_t{1}}) {
    EXPECT_EQ(binding->wait(each).code(), StatusCode::wrong_thread);
    EXPECT_EQ(binding->wait_on(each, 0).code(), StatusCode::wrong_thread);
  }
  EXPECT_NE(binding->wait(number).text().find("ask MPI_Init_thread for SERIALIZED or MULTIPLE"), std::string::npos);
}

TEST(ThreadRule, AllowsItsOwnThreadAndWithoutARuleAnyOther) {
  const RandomCase problem = ring_of(1);
  const Pattern pattern = box_halo(problem.halo, 0);
  RankFields fields(problem, pattern);
  fields.fill(4);
  const auto binding = ruled_binding(fields, pattern, std::this_thread::get_id());
  EXPECT_TRUE(binding->wait(binding->start(Kind::forward, {}, {})).ok());
  EXPECT_EQ(fields.check(4), "");
  Scene scene(ring_of(1), 1);
  std::thread([&] { EXPECT_TRUE(scene.run(Kind::forward).ok()); }).join();
}

}  // namespace
}  // namespace halyard::test
