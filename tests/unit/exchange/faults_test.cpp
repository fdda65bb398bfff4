// Messages that are lost, late, out of order or refused by the transport: no hang, and nothing wrong is called done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/faulty/factory.hpp"
#include "unit/exchange/scene.hpp"

namespace halyard::test {
namespace {

using exchange::Kind;
using testing::HasSubstr;
using testing::MatchesRegex;
using transport::faulty::Fault;
using transport::faulty::FaultPlan;

constexpr base::WaitPolicy kSoon{base::WaitPolicy::kYieldEarly, 0.2};

class Faults : public testing::TestWithParam<Exports> {
 protected:
  // Rank 0's messages to rank 1 suffer; everybody else behaves.
  Setting with(const FaultPlan& plan, const base::WaitPolicy& wait = kSoon) const {
    return {GetParam(),
            [plan](int rank, std::unique_ptr<transport::Worker> worker) {
              return rank == 0 ? transport::faulty::wrap(std::move(worker), plan) : std::move(worker);
            },
            wait};
  }
};

INSTANTIATE_TEST_SUITE_P(Forms, Faults, testing::Values(Exports::nothing, Exports::everything), name_of_form);

TEST_P(Faults, ALostLastMessageIsATimeoutThatNamesWhoWaitsForWhat) {
  Scene scene(one_way_line_of(2), 2, with({Fault::drop, 2, 0, 1}));
  ASSERT_TRUE(scene.run(Kind::forward).ok());
  const std::vector<std::uint64_t> numbers{scene.start_forward(0), scene.start_forward(1)};
  const Status status = scene.binding(1).wait(numbers[1]);
  EXPECT_EQ(status.code(), StatusCode::timeout);
  const std::string form = GetParam() == Exports::nothing ? "mailbox" : "direct";
  EXPECT_THAT(status.text(),
              MatchesRegex("rank 1 waits for rank 0, field coded0, forward 2, 0 of 1 messages, path shared \\(" + form +
                           "\\), last progress 0\\.[0-9] s ago; the deadline of 0\\.2 s passed \\(HALYARD_DEADLINE, "
                           "Options::deadline_s\\)"));
}

TEST_P(Faults, ALostMessageIsFoundAsSoonAsTheNextOneComes) {
  Scene scene(one_way_line_of(2), 2, with({Fault::drop, 1, 0, 1}));
  scene.fill(1);
  const std::vector<std::uint64_t> first{scene.start_forward(0), scene.start_forward(1)};
  (void)scene.start_forward(0);
  const Status status = scene.binding(1).wait(first[1]);
  EXPECT_EQ(status.code(), StatusCode::disagreement);
  EXPECT_THAT(status.text(), HasSubstr("expected the message of forward 1 from rank 0, and forward 2 came instead"));
}

TEST_P(Faults, ALateMessageIsWaitedForAndIsRight) {
  for (std::uint64_t nth = 1; nth <= 3; ++nth) {
    Scene scene(ring_of(3), 3, with({Fault::delay, nth, 300, 1}, {base::WaitPolicy::kYieldEarly, 20.0}));
    for (std::uint64_t step = 0; step < 4; ++step) {
      scene.fill(step);
      const Status status = scene.run(Kind::forward);
      ASSERT_TRUE(status.ok()) << status.text();
      ASSERT_EQ(scene.check(step), "");
    }
  }
}

TEST_P(Faults, MessagesOutOfOrderAreADisagreement) {
  Scene scene(one_way_line_of(2), 2, with({Fault::reorder, 1, 0, 1}));
  scene.fill(1);
  const std::vector<std::uint64_t> first{scene.start_forward(0), scene.start_forward(1)};
  const std::vector<std::uint64_t> second{scene.start_forward(0), scene.start_forward(1)};
  const Status status = scene.binding(1).wait(first[1]);
  EXPECT_EQ(status.code(), StatusCode::disagreement);
  EXPECT_THAT(status.text(), HasSubstr("forward 2 came instead"));
  EXPECT_EQ(scene.binding(1).wait(second[1]).code(), StatusCode::disagreement);
}

TEST_P(Faults, AFailedMessageIsReportedToItsSenderAndItsReceiver) {
  Scene scene(ring_of(3), 3, with({Fault::fail, 2, 0, 1}));
  scene.fill(1);
  ASSERT_TRUE(scene.run(Kind::forward).ok());
  std::vector<std::uint64_t> numbers;
  for (int rank = 0; rank < 3; ++rank) numbers.push_back(scene.start_forward(rank));
  drive_by_turns(scene.bindings(), numbers);
  const auto statuses = outcomes(scene.bindings(), numbers);
  EXPECT_EQ(statuses[0].code(), StatusCode::transport_failed);
  EXPECT_EQ(statuses[0].text(), "message 2 to rank 1 was made to fail");
  EXPECT_EQ(statuses[1].code(), StatusCode::peer_failed);
  EXPECT_EQ(statuses[1].text(), "rank 0 gave up because of rank 1");
}

// Rank 0 has all that it waits for itself; that its own message failed must still come out of this exchange.
TEST_P(Faults, AFailedMessageIsNotForgottenBecauseEverythingArrived) {
  Scene scene(ring_of(2), 2, with({Fault::fail, 1, 0, 1}));
  const auto other = scene.start_forward(1);
  (void)scene.binding(1).ready(other);
  const auto mine = scene.start_forward(0);
  EXPECT_EQ(scene.binding(0).wait(mine).code(), StatusCode::transport_failed);
  EXPECT_EQ(scene.binding(1).wait(other).code(), StatusCode::peer_failed);
}

TEST_P(Faults, NoFaultIsEverCalledDone) {
  for (const Fault fault : {Fault::drop, Fault::reorder, Fault::fail})
    for (std::uint64_t nth = 1; nth <= 3; ++nth) {
      Scene scene(one_way_line_of(2), 2, with({fault, nth, 0, 1}, {base::WaitPolicy::kYieldEarly, 0.05}));
      int num_right = 0;
      for (std::uint64_t step = 0; step < 5; ++step) {
        scene.fill(step);
        const std::vector<std::uint64_t> numbers{scene.start_forward(0), scene.start_forward(1)};
        drive_by_turns(scene.bindings(), numbers);
        if (!scene.binding(1).wait(numbers[1]).ok()) break;
        ASSERT_EQ(scene.check(step), "");
        ++num_right;
      }
      EXPECT_EQ(num_right, static_cast<int>(nth) - 1);
    }
}

TEST(FaultsOfADeadline, OfZeroNeverPasses) {
  Scene scene(one_way_line_of(2), 2, {Exports::nothing, {}, {0, 0.0}});
  const auto number = scene.start_forward(1);
  for (int i = 0; i < 2000; ++i) ASSERT_FALSE(scene.binding(1).ready(number));
  (void)scene.start_forward(0);
  EXPECT_TRUE(scene.binding(1).wait(number).ok());
}

TEST(FaultsOfADeadline, AreFoundByPollingToo) {
  Scene scene(one_way_line_of(2), 2, {Exports::nothing, {}, {0, 0.05}});
  const auto number = scene.start_forward(1);
  while (!scene.binding(1).ready(number)) {
  }
  EXPECT_EQ(scene.binding(1).wait(number).code(), StatusCode::timeout);
}

TEST(FaultsOfADeadline, InPlaceNameTheRankThatDoesNotTakeTheMessage) {
  Scene scene(one_way_line_of(2), 2, {Exports::everything, {}, {0, 0.05}});
  const Status status = scene.binding(0).wait(scene.start_forward(0));
  EXPECT_EQ(status.code(), StatusCode::timeout);
  EXPECT_THAT(status.text(),
              HasSubstr("rank 0 waits for rank 1 to take this rank's message, field coded0, forward 1, 0 of 0 "
                        "messages, path shared (direct)"));
}

}  // namespace
}  // namespace halyard::test
