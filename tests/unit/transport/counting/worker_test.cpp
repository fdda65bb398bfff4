// counting: what goes through is counted and otherwise unchanged.
#include <gtest/gtest.h>

#include "transport/counting/factory.hpp"
#include "unit/transport/channel_pair.hpp"

namespace halyard::transport {
namespace {

using test::ChannelPair;
using test::post_number;

struct Counted {
  counting::Counts counts;
  test::WorkerPair ranks{test::Medium::loopback,
                         [this](std::unique_ptr<Worker> worker) { return counting::wrap(std::move(worker), counts); }};
};

TEST(Counting, CountsChannelsMessagesAndBytes) {
  Counted c;
  ChannelPair pair(c.ranks, test::spec_of(8, 8));
  ChannelPair other(c.ranks, test::spec_of(8, 8, 2));
  post_number(*pair.a, 1, 1);
  post_number(*pair.a, 2, 2);
  post_number(*pair.b, 3, 3);
  EXPECT_EQ(test::number_in(*pair.b->receive()), 1U);
  (void)pair.a->receive();
  EXPECT_EQ(c.counts.messages_received, 0U) << "a message counts when it is released";
  pair.a->release();
  EXPECT_EQ(c.counts.channels_opened, 2U);
  EXPECT_EQ(c.counts.messages_posted, 2U);
  EXPECT_EQ(c.counts.bytes_posted, 16U);
  EXPECT_EQ(c.counts.messages_received, 1U);
}

TEST(Counting, CountsNoBytesInPlace) {
  Counted c;
  auto spec = test::spec_of(8, 8);
  spec.sends_in_place = true;
  ChannelPair pair(c.ranks, spec);
  pair.a->post(0, 1);
  EXPECT_EQ(c.counts.messages_posted, 1U);
  EXPECT_EQ(c.counts.bytes_posted, 0U);
}

TEST(Counting, ForwardsEverythingElse) {
  Counted c;
  ChannelPair pair(c.ranks, test::spec_of(8, 8));
  EXPECT_EQ(c.ranks.workers[0]->path(), Path::shared);
  EXPECT_EQ(pair.a->form(), "mailbox");
  post_number(*pair.a, 1, 1);
  EXPECT_FALSE(pair.a->is_quiet());
  EXPECT_EQ(pair.a->num_delivered(), 1U);
  pair.b->give_up(3);
  EXPECT_EQ(pair.a->failure(), StatusCode::peer_failed);
  EXPECT_EQ(pair.a->failure_text(), "rank 1 gave up because of rank 3");
  EXPECT_EQ(c.ranks.workers[0]->exported(&c, 1), std::nullopt);
  EXPECT_EQ(c.ranks.workers[0]->loss_of(1), std::nullopt);
}

}  // namespace
}  // namespace halyard::transport
