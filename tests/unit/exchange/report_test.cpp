// BindingCore::explain: the plan's table with the form that each neighbor's channel has taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/exchange/scene.hpp"

namespace halyard::test {
namespace {

using testing::HasSubstr;

TEST(Report, SaysHowEachNeighborsMessagesTravel) {
  Scene mailbox(ring_of(2), 2);
  EXPECT_THAT(mailbox.binding(0).explain(), HasSubstr("mailbox"));
  Scene direct(ring_of(2), 2, {Exports::everything, {}});
  EXPECT_THAT(direct.binding(0).explain(), HasSubstr("direct"));
  Scene self(ring_of(1), 1);
  EXPECT_THAT(self.binding(0).explain(), HasSubstr("copy"));
}

TEST(Report, NamesEveryFieldOfATimeout) {
  RandomCase problem = ring_of(2);
  problem.fields.push_back(problem.fields[0]);
  Scene scene(std::move(problem), 2, {Exports::nothing, {}, {0, 0.05}});
  EXPECT_THAT(scene.binding(1).wait(scene.start_reverse(1, Reduce::min)).text(),
              HasSubstr("rank 1 waits for rank 0, fields coded0+coded1, reverse min 1, 0 of 1 messages"));
}

TEST(Report, CountsTheMessagesThatHaveCome) {
  Scene scene(ring_of(3), 3, {Exports::nothing, {}, {0, 0.05}});
  (void)scene.start_forward(0);
  EXPECT_THAT(scene.binding(1).wait(scene.start_forward(1)).text(),
              HasSubstr("rank 1 waits for rank 2, field coded0, forward 1, 1 of 2 messages"));
}

}  // namespace
}  // namespace halyard::test
