// Ranks that run different exchanges: found by the receiver, told to all, and nothing is called done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/exchange/scene.hpp"

namespace halyard::test {
namespace {

using exchange::Kind;
using testing::AnyOf;
using testing::HasSubstr;

constexpr base::WaitPolicy kShort{base::WaitPolicy::kYieldEarly, 2.0};

class Disagreement : public testing::TestWithParam<Exports> {
 protected:
  Setting setting() const { return {GetParam(), {}, kShort}; }
};

INSTANTIATE_TEST_SUITE_P(Forms, Disagreement, testing::Values(Exports::nothing, Exports::everything), name_of_form);

TEST_P(Disagreement, OfOneRankForwardAndItsNeighborsReverseEndsAllOfThem) {
  for (const int ranks : {2, 3}) {
    Scene scene(ring_of(ranks), ranks, setting());
    scene.fill(1);
    std::vector<std::uint64_t> numbers{scene.start_forward(0)};
    for (int rank = 1; rank < ranks; ++rank) numbers.push_back(scene.start_reverse(rank));
    drive_by_turns(scene.bindings(), numbers);
    int num_disagreements = 0;
    for (const Status& status : outcomes(scene.bindings(), numbers)) {
      EXPECT_THAT(status.code(), AnyOf(StatusCode::disagreement, StatusCode::peer_failed, StatusCode::timeout));
      num_disagreements += status.code() == StatusCode::disagreement ? 1 : 0;
    }
    EXPECT_GE(num_disagreements, 1) << ranks << " ranks";
  }
}

TEST_P(Disagreement, NamesBothExchanges) {
  Scene scene(one_way_line_of(2), 2, setting());
  ASSERT_TRUE(scene.run(Kind::forward).ok());
  // Rank 1 sends in reverse and receives in forward: with a forward of its own it would wait for rank 0.
  const auto sender = scene.start_forward(0);
  (void)scene.binding(0).ready(sender);
  (void)scene.start_reverse(1);
  const auto receiver = scene.start_forward(1);
  const Status status = scene.binding(1).wait(receiver);
  EXPECT_EQ(status.code(), StatusCode::disagreement);
  EXPECT_EQ(
      status.text(),
      "rank 1 expected the message of forward 3 from rank 0, and forward 2 came instead; all ranks must start the same "
      "exchanges on a binding in the same order, and no message may be lost");
  EXPECT_EQ(scene.binding(1).wait(receiver).text(), status.text()) << "a failed binding has failed for good";
}

TEST_P(Disagreement, OnTheOperationIsFoundToo) {
  Scene scene(one_way_line_of(2), 2, setting());
  scene.fill_for_reverse(1, 2);
  const auto sender = scene.start_reverse(1, Reduce::min);
  const auto receiver = scene.start_reverse(0, Reduce::max);
  (void)scene.binding(1).ready(sender);
  const Status status = scene.binding(0).wait(receiver);
  EXPECT_EQ(status.code(), StatusCode::disagreement);
  EXPECT_THAT(status.text(),
              HasSubstr("expected the message of reverse max 1 from rank 1, and reverse min 1 came instead"));
  EXPECT_EQ(scene.fields(0).coded[0].check_reverse_sum(1, 0), "") << "nothing was reduced";
}

TEST_P(Disagreement, IsToldToThePeerWithTheCulprit) {
  Scene scene(ring_of(3), 3, setting());
  const std::vector<std::uint64_t> numbers{scene.start_forward(0), scene.start_reverse(1), scene.start_forward(2)};
  (void)scene.binding(1).ready(numbers[1]);
  EXPECT_EQ(scene.binding(0).wait(numbers[0]).code(), StatusCode::disagreement);
  const Status status = scene.binding(2).wait(numbers[2]);
  EXPECT_THAT(status.code(), AnyOf(StatusCode::peer_failed, StatusCode::disagreement));
  if (status.code() == StatusCode::peer_failed) {
    EXPECT_EQ(status.text(), "rank 0 gave up because of rank 1");
  }
}

TEST_P(Disagreement, ComesBackFromEveryLaterExchangeAsTheFirstFailure) {
  Scene scene(ring_of(2), 2, setting());
  const std::vector<std::uint64_t> numbers{scene.start_forward(0), scene.start_reverse(1)};
  drive_by_turns(scene.bindings(), numbers);
  const std::string first = scene.binding(0).wait(numbers[0]).text();
  for (int again = 0; again < 2 * kMaxInFlight; ++again) {
    const auto number = scene.start_forward(0);
    EXPECT_TRUE(scene.binding(0).ready(number));
    const Status status = scene.binding(0).wait(number);
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(status.text(), first);
    EXPECT_FALSE(scene.binding(0).wait_on(number, 1).ok());
  }
}

// Rank 0 is wrong, 1 and 4 are its neighbors. What 2 and 3 asked for may have arrived; what they ask for next will not.
TEST_P(Disagreement, ReachesTheRanksBehindWithTheirNextExchange) {
  Scene scene(ring_of(5), 5, setting());
  scene.fill_for_reverse(1, 2);
  std::vector<std::uint64_t> numbers{scene.start_forward(0)};
  for (int rank = 1; rank < 5; ++rank) numbers.push_back(scene.start_reverse(rank));
  drive_by_turns(scene.bindings(), numbers);
  for (const int rank : {0, 1, 4}) EXPECT_FALSE(scene.binding(rank).wait(numbers[static_cast<std::size_t>(rank)]).ok());
  for (int rank = 0; rank < 5; ++rank) numbers[static_cast<std::size_t>(rank)] = scene.start_reverse(rank);
  drive_by_turns(scene.bindings(), numbers);
  for (const int rank : {2, 3}) {
    const Status status = scene.binding(rank).wait(numbers[static_cast<std::size_t>(rank)]);
    EXPECT_EQ(status.code(), StatusCode::peer_failed) << status.text();
  }
}

}  // namespace
}  // namespace halyard::test
