// Failure and the end of mailbox channels: invariants I5 and I6 of runtime/transport/protocol.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "unit/transport/channel_pair.hpp"

namespace halyard::transport {
namespace {

using test::ChannelPair;
using test::number_in;
using test::post_number;
using test::spec_of;

class MailboxEnd : public testing::TestWithParam<test::Medium> {
 protected:
  test::WorkerPair ranks{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Media, MailboxEnd, testing::Values(test::Medium::loopback, test::Medium::shared),
                         test::name_of);

TEST_P(MailboxEnd, TellsThePeerWhoseFaultItWas) {
  ChannelPair pair(ranks, spec_of(8, 8));
  EXPECT_EQ(pair.b->failure(), StatusCode::ok);
  pair.a->give_up(17);
  EXPECT_EQ(pair.b->failure(), StatusCode::peer_failed);
  EXPECT_EQ(pair.b->failure_text(), "rank 0 gave up because of rank 17");
  EXPECT_EQ(pair.a->failure(), StatusCode::ok) << "only the peer learns of it";
}

TEST_P(MailboxEnd, CanBlameRankZero) {
  ChannelPair pair(ranks, spec_of(8, 8));
  pair.a->give_up(0);
  EXPECT_EQ(pair.b->failure(), StatusCode::peer_failed);
  EXPECT_EQ(pair.b->failure_text(), "rank 0 gave up because of rank 0");
}

// A word that an end of another binding writes late must not end this one.
TEST_P(MailboxEnd, IgnoresALateWordOfAnotherBinding) {
  auto a = ranks.workers[0]->open(spec_of(8, 8, 5));
  auto b = ranks.workers[1]->open(test::mirrored(spec_of(8, 8, 6)));
  a->connect(b->address());
  b->connect(a->address());
  a->give_up(1);
  EXPECT_EQ(b->failure(), StatusCode::ok);
}

TEST_P(MailboxEnd, SaysNothingBeforeItIsConnected) {
  auto a = ranks.workers[0]->open(spec_of(8, 8));
  EXPECT_NO_FATAL_FAILURE(a->give_up(1));
  EXPECT_TRUE(a->is_quiet());
}

// A shared channel need not outlive its binding: what it posted lies in the peer's memory. Loopback stands in for paths
// where a channel must.
TEST_P(MailboxEnd, IsQuietOnceAllItPostedWasConsumed) {
  const bool is_shared = GetParam() == test::Medium::shared;
  ChannelPair pair(ranks, spec_of(8, 8));
  EXPECT_TRUE(pair.a->is_quiet());
  post_number(*pair.a, 1, 1);
  EXPECT_EQ(pair.a->is_quiet(), is_shared);
  (void)pair.b->receive();
  pair.b->release();
  EXPECT_TRUE(pair.a->is_quiet());
}

TEST_P(MailboxEnd, TellsThePeerThatItIsGone) {
  ChannelPair pair(ranks, spec_of(8, 8));
  pair.a.reset();
  EXPECT_EQ(pair.b->failure(), StatusCode::peer_failed);
  EXPECT_THAT(pair.b->failure_text(), testing::HasSubstr("rank 0 has destroyed its binding"));
}

TEST_P(MailboxEnd, IsGoneOnlyAfterAllThatItPosted) {
  ChannelPair pair(ranks, spec_of(8, 8));
  post_number(*pair.a, 1, 1);
  post_number(*pair.a, 2, 2);
  pair.a.reset();
  for (std::uint64_t n = 1; n <= 2; ++n) {
    EXPECT_EQ(pair.b->failure(), StatusCode::ok);
    ASSERT_TRUE(pair.b->receive());
    EXPECT_EQ(number_in(*pair.b->receive()), n);
    pair.b->release();
  }
  EXPECT_EQ(pair.b->failure(), StatusCode::peer_failed);
}

TEST_P(MailboxEnd, ThatGaveUpBeforeIsBlamedForThat) {
  ChannelPair pair(ranks, spec_of(8, 8));
  pair.a->give_up(17);
  pair.a.reset();
  EXPECT_EQ(pair.b->failure(), StatusCode::peer_failed);
  EXPECT_EQ(pair.b->failure_text(), "rank 0 gave up because of rank 17");
}

TEST_P(MailboxEnd, IgnoresALateFarewellOfAnotherBinding) {
  auto a = ranks.workers[0]->open(spec_of(8, 8, 5));
  auto b = ranks.workers[1]->open(test::mirrored(spec_of(8, 8, 6)));
  a->connect(b->address());
  b->connect(a->address());
  a.reset();
  EXPECT_EQ(b->failure(), StatusCode::ok);
}

// The contract forbids it, and it must not be silent corruption: the peer starts one exchange too many.
TEST_P(MailboxEnd, DestroyedWhenQuietKeepsTheMemoryThatAPeerWritesAgainstTheContract) {
  ChannelPair pair(ranks, spec_of(4096, 4096));
  post_number(*pair.a, 1, 1);
  (void)pair.b->receive();
  pair.b->release();
  ASSERT_TRUE(pair.a->is_quiet());
  pair.a.reset();
  ChannelPair next(ranks, spec_of(4096, 4096, 2));
  post_number(*next.b, 7, 7);
  ASSERT_TRUE(pair.b->may_post());
  std::memset(pair.b->send_buffer(), 0xee, 4096);
  pair.b->post(4096, 3);
  ASSERT_TRUE(next.a->receive());
  EXPECT_EQ(number_in(*next.a->receive()), 7U);
  EXPECT_EQ(next.a->receive()->tag, 7U);
  EXPECT_EQ(pair.b->failure(), StatusCode::peer_failed);
}

TEST_P(MailboxEnd, GivesItsMemoryBackWhenThePeerIsGoneToo) {
  for (std::uint64_t binding = 1; binding <= 1000; ++binding) {  // far more than the segment holds at once
    ChannelPair pair(ranks, spec_of(4096, 4096, binding));
    post_number(*pair.a, 1, 1);
    pair.b->give_up(3);
    pair.a.reset();
    ChannelPair next(ranks, spec_of(4096, 4096, binding + 1000));
    post_number(*pair.b, 1, 1);
    pair.b.reset();
  }
}

// The peer answers after this end is gone: its words and its message must land in memory that nobody uses.
TEST_P(MailboxEnd, DestroyedBeforeItIsQuietKeepsTheMemoryThatThePeerWrites) {
  ChannelPair pair(ranks, spec_of(64, 64));
  post_number(*pair.a, 1, 1);
  pair.a.reset();
  ChannelPair next(ranks, spec_of(64, 64, 2));
  (void)pair.b->receive();
  pair.b->release();
  post_number(*pair.b, 0xbadbadbad, 3);
  EXPECT_FALSE(next.a->receive()) << "a new channel does not use the words of the old one";
  EXPECT_TRUE(next.a->may_post());
}

// A receiver that missed its deadline has posted nothing, and yet its peer will write.
TEST_P(MailboxEnd, DestroyedAfterGivingUpKeepsTheMemoryThatThePeerWrites) {
  ChannelPair pair(ranks, spec_of(0, 4096));
  pair.a->give_up(1);
  pair.a.reset();
  ChannelPair next(ranks, spec_of(0, 4096, 2));
  post_number(*next.b, 7, 7);
  std::memset(pair.b->send_buffer(), 0xee, 4096);
  pair.b->post(4096, 3);
  ASSERT_TRUE(next.a->receive());
  EXPECT_EQ(number_in(*next.a->receive()), 7U) << "the late message lies in a landing buffer of its own";
  EXPECT_EQ(next.a->receive()->tag, 7U);
}

TEST_P(MailboxEnd, DestroyedWhenQuietGivesItsMemoryBack) {
  for (std::uint64_t binding = 1; binding <= 1000; ++binding) {  // far more than the segment holds at once
    ChannelPair pair(ranks, spec_of(4096, 4096, binding));
    post_number(*pair.a, binding, binding);
    EXPECT_EQ(number_in(*pair.b->receive()), binding);
    pair.b->release();
  }
}

}  // namespace
}  // namespace halyard::transport
