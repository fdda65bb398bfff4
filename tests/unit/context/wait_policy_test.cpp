// wait_policy: spin while every rank can have a core, yield early when not, unless the user decides.
#include "context/launch/wait_policy.hpp"

#include <gtest/gtest.h>

namespace halyard::context {
namespace {

using base::WaitPolicy;

constexpr NodeShape kRoomy{2, 4};
constexpr NodeShape kFull{4, 4};
constexpr NodeShape kCrowded{5, 4};

std::uint32_t spins(Wait wait, const NodeShape& node) {
  Options options;
  options.wait = wait;
  return wait_policy(options, node).spins_before_yield;
}

std::string text(Wait wait, const NodeShape& node) {
  Options options;
  options.wait = wait;
  return wait_text(options, node);
}

TEST(WaitPolicy, YieldsEarlyOnlyWhenRanksOutnumberCores) {
  EXPECT_EQ(spins(Wait::automatic, kRoomy), WaitPolicy{}.spins_before_yield);
  EXPECT_EQ(spins(Wait::automatic, kFull), WaitPolicy{}.spins_before_yield);
  EXPECT_EQ(spins(Wait::automatic, kCrowded), WaitPolicy::kYieldEarly);
}

TEST(WaitPolicy, DoesWhatTheUserSays) {
  for (const NodeShape& node : {kRoomy, kCrowded}) {
    EXPECT_EQ(spins(Wait::spin, node), WaitPolicy::kNeverYield);
    EXPECT_EQ(spins(Wait::yield, node), WaitPolicy::kYieldEarly);
  }
}

TEST(WaitPolicy, CarriesTheDeadline) {
  Options options;
  options.deadline_s = 2.5;
  EXPECT_EQ(wait_policy(options, kRoomy).deadline_s, 2.5);
  options.deadline_s = 0;
  EXPECT_EQ(wait_policy(options, kRoomy).deadline_s, 0);
}

TEST(WaitPolicy, SaysHowAWaitingRankWaits) {
  EXPECT_EQ(text(Wait::automatic, kRoomy), "2 rank(s) on 4 core(s) of this node: a waiting rank spins, then yields");
  EXPECT_EQ(text(Wait::automatic, kCrowded), "5 rank(s) on 4 core(s) of this node: a waiting rank yields early");
  EXPECT_EQ(text(Wait::spin, kCrowded), "5 rank(s) on 4 core(s) of this node: a waiting rank spins");
  EXPECT_EQ(text(Wait::yield, kRoomy), "2 rank(s) on 4 core(s) of this node: a waiting rank yields early");
}

}  // namespace
}  // namespace halyard::context
