// The mailbox protocol (runtime/transport/protocol.md), both ends driven by hand, on each medium that carries it.
#include "transport/mailbox/channel.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/transport/channel_pair.hpp"

namespace halyard::transport {
namespace {

using test::ChannelPair;
using test::number_in;
using test::post_number;
using test::spec_of;

class Mailbox : public testing::TestWithParam<test::Medium> {
 protected:
  test::WorkerPair ranks{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Media, Mailbox, testing::Values(test::Medium::loopback, test::Medium::shared), test::name_of);

TEST_P(Mailbox, CarriesAMessageWithItsTag) {
  ChannelPair pair(ranks, spec_of(8, 8));
  EXPECT_FALSE(pair.b->receive());
  ASSERT_TRUE(pair.a->may_post());
  post_number(*pair.a, 4711, 42);
  const auto incoming = pair.b->receive();
  ASSERT_TRUE(incoming);
  EXPECT_EQ(number_in(*incoming), 4711U);
  EXPECT_EQ(incoming->tag, 42U);
}

TEST_P(Mailbox, AnswersTheSameMessageUntilItIsReleased) {
  ChannelPair pair(ranks, spec_of(8, 8));
  post_number(*pair.a, 1, 10);
  post_number(*pair.a, 2, 20);
  EXPECT_EQ(number_in(*pair.b->receive()), 1U);
  EXPECT_EQ(number_in(*pair.b->receive()), 1U);
  pair.b->release();
  EXPECT_EQ(number_in(*pair.b->receive()), 2U);
  EXPECT_EQ(pair.b->receive()->tag, 20U);
  pair.b->release();
  EXPECT_FALSE(pair.b->receive());
}

// I2: slot n mod 2 is written only after message n - 2 was consumed.
TEST_P(Mailbox, RunsTwoMessagesAheadAndNotThree) {
  ChannelPair pair(ranks, spec_of(8, 8));
  for (std::uint64_t n = 1; n <= 2; ++n) {
    ASSERT_TRUE(pair.a->may_post());
    post_number(*pair.a, n, n);
  }
  EXPECT_FALSE(pair.a->may_post());
  (void)pair.b->receive();
  EXPECT_FALSE(pair.a->may_post()) << "seen, but not released yet";
  pair.b->release();
  ASSERT_TRUE(pair.a->may_post());
  post_number(*pair.a, 3, 3);
  EXPECT_FALSE(pair.a->may_post());
  EXPECT_EQ(number_in(*pair.b->receive()), 2U) << "the third message did not overwrite the second";
}

TEST_P(Mailbox, CarriesManyMessagesInOrderBothWays) {
  ChannelPair pair(ranks, spec_of(8, 16));
  for (std::uint64_t n = 1; n <= 100; ++n) {
    ASSERT_TRUE(pair.a->may_post());
    ASSERT_TRUE(pair.b->may_post());
    post_number(*pair.a, n, n);
    post_number(*pair.b, 1000 + n, n);
    EXPECT_EQ(number_in(*pair.b->receive()), n);
    EXPECT_EQ(number_in(*pair.a->receive()), 1000 + n);
    pair.a->release();
    pair.b->release();
  }
}

TEST_P(Mailbox, AlignsItsBuffersToCacheLines) {
  ChannelPair pair(ranks, spec_of(9, 9));
  for (std::uint64_t n = 1; n <= 2; ++n) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pair.a->send_buffer()) % 64, 0U);
    post_number(*pair.a, n, n);
  }
}

TEST_P(Mailbox, UsesTheWholeOfBothSlots) {
  constexpr std::int64_t kBytes = 1000;
  ChannelPair pair(ranks, spec_of(kBytes, 8));
  for (int n = 0; n < 2; ++n) {
    std::fill_n(pair.a->send_buffer(), kBytes, static_cast<std::byte>(n + 1));
    pair.a->post(kBytes, 0);
  }
  for (int n = 0; n < 2; ++n) {
    const std::byte* const data = pair.b->receive()->data;
    EXPECT_EQ(std::count(data, data + kBytes, static_cast<std::byte>(n + 1)), kBytes);
    pair.b->release();
  }
}

TEST_P(Mailbox, NeedsNothingMoreOfTheSenderOnceAMessageIsPosted) {
  ChannelPair pair(ranks, spec_of(8, 8));
  EXPECT_EQ(pair.a->num_delivered(), 0U);
  post_number(*pair.a, 1, 1);
  EXPECT_EQ(pair.a->num_delivered(), 1U) << "the copy in the peer's landing buffer is all that it needs";
}

// I3: in place the sender's fields are read until the message is consumed.
TEST_P(Mailbox, InPlaceIsDeliveredOnlyWhenConsumed) {
  auto spec = spec_of(0, 0);
  spec.sends_in_place = true;
  ChannelPair pair(ranks, spec);
  EXPECT_EQ(pair.a->send_buffer(), nullptr);
  pair.a->post(0, 7);
  EXPECT_EQ(pair.a->num_delivered(), 0U);
  const auto incoming = pair.b->receive();
  ASSERT_TRUE(incoming);
  EXPECT_EQ(incoming->data, nullptr) << "the reader knows where the data lies";
  EXPECT_EQ(incoming->tag, 7U);
  EXPECT_EQ(pair.a->num_delivered(), 0U);
  pair.b->release();
  EXPECT_EQ(pair.a->num_delivered(), 1U);
}

TEST_P(Mailbox, CanBeInPlaceOneWayOnly) {
  auto spec = spec_of(0, 8);
  spec.sends_in_place = true;
  ChannelPair pair(ranks, spec);
  pair.a->post(0, 1);
  post_number(*pair.b, 99, 2);
  EXPECT_EQ(pair.b->receive()->data, nullptr);
  EXPECT_EQ(number_in(*pair.a->receive()), 99U);
  EXPECT_EQ(pair.b->num_delivered(), 1U);
  EXPECT_EQ(pair.a->num_delivered(), 0U);
}

TEST_P(Mailbox, SaysItsFormInWords) {
  const auto form = [&](bool sends_in_place, bool receives_in_place) {
    auto spec = spec_of(8, 8);
    spec.sends_in_place = sends_in_place;
    spec.receives_in_place = receives_in_place;
    return ChannelPair(ranks, spec).a->form();
  };
  EXPECT_EQ(form(false, false), "mailbox");
  EXPECT_EQ(form(true, true), "direct");
  EXPECT_EQ(form(true, false), "direct out, mailbox in");
  EXPECT_EQ(form(false, true), "mailbox out, direct in");
}

TEST_P(Mailbox, CarriesEmptyMessages) {
  ChannelPair pair(ranks, spec_of(0, 0));
  pair.a->post(0, 5);
  ASSERT_TRUE(pair.b->receive());
  EXPECT_EQ(pair.b->receive()->tag, 5U);
}

}  // namespace
}  // namespace halyard::transport
