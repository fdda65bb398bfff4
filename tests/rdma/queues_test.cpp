// Queue pairs of the verbs path from close by: two workers of one process on the VM's devices. Field cases V01
// (completion queues never overrun) and V03 (a receiver is always ready), several rails, the end of a channel, and what
// is left.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include "rdma/channel_ends.hpp"

namespace halyard::transport::verbs {
namespace {

class VerbsQueues : public ChannelEnds {};

TEST_F(VerbsQueues, V01APausedReceiverStopsTheSenderBeforeAnyQueueIsFull) {
  connect(kSmall);
  std::uint64_t num_posted = 0;
  for (int attempt = 0; attempt < 1000; ++attempt)
    if (post(*left_channel_, num_posted + 1, kSmall)) ++num_posted;
  EXPECT_EQ(num_posted, 2U);
  // One is consumed, so one more may come, into the slot that it left.
  EXPECT_EQ(receive(*right_channel_, 1, kSmall), 0);
  ASSERT_TRUE(post_patiently(*left_channel_, 3, kSmall));
  for (int attempt = 0; attempt < 1000; ++attempt) EXPECT_FALSE(post(*left_channel_, 4, kSmall));
  for (const std::uint64_t message : {2U, 3U}) EXPECT_EQ(receive(*right_channel_, message, kSmall), 0);
  EXPECT_TRUE(post_patiently(*left_channel_, 4, kSmall));
  EXPECT_EQ(receive(*right_channel_, 4, kSmall), 0);
}

// All channels of a binding share a completion queue. Here one end looks at nothing until all that may come has come:
// two messages and two credits for each of more channels than the queue was made for.
TEST_F(VerbsQueues, V01AQueueHoldsWhatAllChannelsOfABindingMayBeSent) {
  constexpr std::uint64_t kBinding = 1;
  constexpr int kChannels = 120;
  const ChannelSpec to_right{1, kBinding, kSmall, kSmall, false, false},
      to_left{0, kBinding, kSmall, kSmall, false, false};
  std::vector<std::unique_ptr<Channel>> lefts, rights;
  for (int i = 0; i < kChannels; ++i) {
    lefts.push_back(left_->open(to_right));
    rights.push_back(right_->open(to_left));
    const Blob left = lefts.back()->address(), right = rights.back()->address();
    lefts.back()->connect(right);
    rights.back()->connect(left);
  }
  for (const std::uint64_t message : {1U, 2U})
    for (int i = 0; i < kChannels; ++i) ASSERT_TRUE(post(*lefts[static_cast<std::size_t>(i)], message, kSmall)) << i;
  for (const std::uint64_t message : {1U, 2U})
    for (auto& right : rights) ASSERT_EQ(receive(*right, message, kSmall), 0);
  for (const std::uint64_t message : {1U, 2U})
    for (auto& right : rights) ASSERT_TRUE(post_patiently(*right, message, kSmall));
  for (const std::uint64_t message : {1U, 2U})
    for (auto& left : lefts) ASSERT_EQ(receive(*left, message, kSmall), 0) << left->failure_text();
  for (auto& left : lefts) ASSERT_TRUE(post_patiently(*left, 3, kSmall)) << left->failure_text();
  for (auto& right : rights) ASSERT_EQ(receive(*right, 3, kSmall), 0);
}

// More messages than all queues together have entries, one way only, so that every credit is a word of its own.
TEST_F(VerbsQueues, V01V03ThousandsOfMessagesOneWayNeverFindAReceiverThatIsNotReady) {
  constexpr std::uint64_t kMessages = 2000;
  const std::uint64_t not_ready = sum_of_counters("rcvd_rnr_err") + sum_of_counters("send_rnr_err");
  connect(kSmall);
  for (std::uint64_t message = 1; message <= kMessages; ++message) {
    ASSERT_TRUE(post_patiently(*left_channel_, message, kSmall)) << message << ": " << left_channel_->failure_text();
    ASSERT_EQ(receive(*right_channel_, message, kSmall), 0) << message;
  }
  EXPECT_EQ(left_channel_->failure(), StatusCode::ok) << left_channel_->failure_text();
  EXPECT_EQ(right_channel_->failure(), StatusCode::ok) << right_channel_->failure_text();
  EXPECT_EQ(sum_of_counters("rcvd_rnr_err") + sum_of_counters("send_rnr_err"), not_ready);
}

TEST_F(VerbsQueues, BothWaysTheNextMessageIsTheCredit) {
  connect(kSmall);
  for (std::uint64_t message = 1; message <= 200; ++message) {
    ASSERT_TRUE(post_patiently(*left_channel_, message, kSmall));
    ASSERT_TRUE(post_patiently(*right_channel_, message, kSmall));
    ASSERT_EQ(receive(*right_channel_, message, kSmall), 0);
    ASSERT_EQ(receive(*left_channel_, message, kSmall), 0);
  }
}

TEST_F(VerbsQueues, MessagesOfEverySizeAreWholeInlineOrNot) {
  for (std::uint64_t binding = 1;
       const std::int64_t bytes : {0L, 1L, 155L, 156L, 157L, 4095L, 65472L, 65473L, 300001L}) {
    connect(bytes, binding++);
    for (std::uint64_t message = 1; message <= 3; ++message) {
      ASSERT_TRUE(post_patiently(*left_channel_, message, bytes));
      EXPECT_EQ(receive(*right_channel_, message, bytes), 0) << bytes;
    }
  }
}

// One packet and one acknowledgment each, where the header would make it two packets.
TEST_F(VerbsQueues, MessagesThatFillTheirPacketsGoWithoutHeader) {
  constexpr std::int64_t kPacket = 4096;
  constexpr std::uint64_t kMessages = 100;
  std::uint64_t binding = 1;
  for (const std::int64_t bytes : {kPacket - 64, kPacket}) {
    connect(bytes, binding++);
    const std::uint64_t before = sum_of_counters("sent_pkts");
    for (std::uint64_t message = 1; message <= kMessages; ++message) {
      ASSERT_TRUE(post_patiently(*left_channel_, message, bytes));
      ASSERT_TRUE(post_patiently(*right_channel_, message, bytes));
      ASSERT_EQ(receive(*right_channel_, message, bytes), 0) << message;
      ASSERT_EQ(receive(*left_channel_, message, bytes), 0) << message;
    }
    EXPECT_LE(sum_of_counters("sent_pkts") - before, 2 * 2 * kMessages + 10) << bytes;
  }
}

TEST_F(VerbsQueues, TagsAndSizesThatAreNotExpectedGoWithTheirHeader) {
  constexpr std::int64_t kPacket = 4096;
  connect(kPacket);
  std::uint64_t tag = 0;
  for (std::uint64_t turn = 1; turn <= 60; ++turn) {
    tag += turn % 5 == 0 ? 1000 * turn : 1;
    const std::int64_t bytes = turn % 7 == 0 ? kSmall : kPacket;
    ASSERT_TRUE(post_patiently(*left_channel_, tag, bytes));
    ASSERT_EQ(receive(*right_channel_, tag, bytes), 0) << turn;
  }
}

// More of them than a bare number counts; the answers, few, must not give more credit than there is.
TEST_F(VerbsQueues, CreditsHoldThoughBareNumbersCountOnlySoFar) {
  constexpr std::int64_t kPacket = 4096;
  constexpr std::uint64_t kMessages = 4600;
  connect(kPacket);
  const auto send = [](Channel& from, Channel& to, std::uint64_t message) {
    const auto end = Clock::now() + kPatience;
    while (!from.may_post() && Clock::now() < end) continue;
    from.post(kPacket, message);
    return receive(to, message, 0) == 0;
  };
  for (std::uint64_t message = 1; message <= kMessages; ++message)
    ASSERT_TRUE(send(*left_channel_, *right_channel_, message)) << message;
  for (std::uint64_t answer = 1; answer <= 2; ++answer) ASSERT_TRUE(send(*right_channel_, *left_channel_, answer));
  for (std::uint64_t more = 1; more <= 2; ++more)
    ASSERT_TRUE(post_patiently(*left_channel_, kMessages + more, kPacket));
  ASSERT_TRUE(send(*right_channel_, *left_channel_, 3));
  for (int attempt = 0; attempt < 1000; ++attempt) ASSERT_FALSE(post(*left_channel_, kMessages + 3, kPacket));
}

TEST_F(VerbsQueues, SeveralRailsShareALargeMessage) {
  constexpr std::int64_t kLarge = 1 << 20;
  open("rxe0,rxe1", "rxe0,rxe1");
  connect(kLarge);
  EXPECT_NE(left_channel_->form().find("rxe0:1+rxe1:1"), std::string::npos) << left_channel_->form();
  for (std::uint64_t message = 1; message <= 6; ++message) {
    const std::int64_t bytes = message % 3 == 0 ? kSmall : kLarge;
    ASSERT_TRUE(post_patiently(*left_channel_, message, bytes));
    EXPECT_EQ(receive(*right_channel_, message, bytes), 0) << message;
  }
}

/// A port whose packets are smaller than those of the others, until the end of a scope.
class SmallPackets {
 public:
  explicit SmallPackets(const std::string& netdev) : netdev_(netdev) { set(1500); }
  SmallPackets(const SmallPackets&) = delete;
  SmallPackets& operator=(const SmallPackets&) = delete;
  ~SmallPackets() { set(4200); }

 private:
  void set(int bytes) const {
    EXPECT_EQ(std::system(("ip link set " + netdev_ + " mtu " + std::to_string(bytes)).c_str()), 0);
  }
  std::string netdev_;
};

TEST_F(VerbsQueues, PortsOfDifferentMtuMeetAtTheSmallerOne) {
  constexpr std::int64_t kLarge = 300'001;
  constexpr std::uint64_t kSmallMtu = 1024;
  for (const char* narrow : {"va", "vb"}) {
    const SmallPackets packets(narrow);
    open("rxe0", "rxe1");
    connect(kLarge);
    const std::uint64_t before = sum_of_counters("sent_pkts");
    ASSERT_TRUE(post_patiently(*left_channel_, 1, kLarge));
    EXPECT_EQ(receive(*right_channel_, 1, kLarge), 0) << narrow;
    ASSERT_TRUE(post_patiently(*right_channel_, 1, kLarge));
    EXPECT_EQ(receive(*left_channel_, 1, kLarge), 0) << narrow;
    EXPECT_GE(sum_of_counters("sent_pkts") - before, 2 * kLarge / kSmallMtu) << narrow;
    right_channel_.reset(), left_channel_.reset(), right_.reset(), left_.reset();
  }
}

TEST_F(VerbsQueues, AnEndWithFewerRailsUsesThoseThatBothHave) {
  open("rxe0,rxe1", "rxe0");
  connect(1 << 20);
  ASSERT_TRUE(post_patiently(*left_channel_, 1, 1 << 20));
  EXPECT_EQ(receive(*right_channel_, 1, 1 << 20), 0);
  ASSERT_TRUE(post_patiently(*right_channel_, 1, 1 << 20));
  EXPECT_EQ(receive(*left_channel_, 1, 1 << 20), 0);
}

TEST_F(VerbsQueues, AMessageArrivesThoughItsSenderIsGone) {
  connect(kSmall);
  ASSERT_TRUE(post(*left_channel_, 1, kSmall));
  left_channel_.reset();
  EXPECT_EQ(receive(*right_channel_, 1, kSmall), 0);
}

TEST_F(VerbsQueues, AnEndThatIsGoneIsAFailureOnlyOnceItsLastMessageIsRead) {
  open("rxe0,rxe1", "rxe0,rxe1");
  constexpr std::int64_t kLarge = 1 << 18;
  connect(kLarge);
  ASSERT_TRUE(post(*left_channel_, 1, kLarge));
  left_channel_.reset();
  const auto end = Clock::now() + kPatience;
  for (; !right_channel_->receive() && Clock::now() < end; left_->sweep())
    ASSERT_EQ(right_channel_->failure(), StatusCode::ok);
  EXPECT_EQ(receive(*right_channel_, 1, kLarge), 0);
  for (; right_channel_->failure() == StatusCode::ok && Clock::now() < end; left_->sweep())
    (void)right_channel_->receive();
  EXPECT_EQ(right_channel_->failure(), StatusCode::peer_failed);
  EXPECT_NE(right_channel_->failure_text().find("rank 0 has destroyed its binding"), std::string::npos);
}

// The farewell goes over the first rail, where it overtakes the other's part.
TEST_F(VerbsQueues, AFarewellThatOvertakesAPartIsNoFailure) {
  open("rxe0,rxe1", "rxe1,rxe0");
  constexpr std::int64_t kLarge = 1 << 18;
  connect(kLarge);
  const LatePackets late("vb");
  ASSERT_TRUE(post(*left_channel_, 1, kLarge));
  left_channel_.reset();
  const auto end = Clock::now() + kPatience;
  for (; !right_channel_->receive() && Clock::now() < end; left_->sweep())
    ASSERT_EQ(right_channel_->failure(), StatusCode::ok) << right_channel_->failure_text();
  EXPECT_EQ(receive(*right_channel_, 1, kLarge), 0);
}

TEST_F(VerbsQueues, GivingUpIsToldAndNamesTheCulprit) {
  connect(kSmall);
  left_channel_->give_up(17);
  const auto end = Clock::now() + kPatience;
  while (right_channel_->failure() == StatusCode::ok && Clock::now() < end) (void)right_channel_->receive();
  EXPECT_EQ(right_channel_->failure(), StatusCode::peer_failed);
  EXPECT_NE(right_channel_->failure_text().find("because of rank 17"), std::string::npos);
}

TEST_F(VerbsQueues, ASleeperWakesWhenAMessageComes) {
  connect(kSmall);
  (void)right_channel_->receive();
  ASSERT_TRUE(post(*left_channel_, 1, kSmall));
  const auto end = Clock::now() + kPatience;
  while (!right_channel_->receive() && Clock::now() < end)
    ASSERT_TRUE(right_channel_->sleep(std::chrono::milliseconds(5)));
  EXPECT_EQ(receive(*right_channel_, 1, kSmall), 0);
}

TEST_F(VerbsQueues, NothingIsLeftWhenBothEndsAreGone) {
  for (std::uint64_t binding = 1; binding <= 20; ++binding) {
    connect(kSmall, binding);
    ASSERT_TRUE(post(*left_channel_, 1, kSmall));
    ASSERT_EQ(receive(*right_channel_, 1, kSmall), 0);
  }
  const std::uint64_t registrations = num_registrations();
  connect(kSmall, 21);
  EXPECT_EQ(num_registrations(), registrations) << "the memory of channels that are gone is used again";
  right_channel_.reset(), left_channel_.reset();
  const auto end = Clock::now() + kPatience;
  while (num_queue_pairs() != 0 && Clock::now() < end) left_->sweep(), right_->sweep();
  EXPECT_EQ(num_queue_pairs(), 0U);
}

TEST_F(VerbsQueues, OtherSizesThanThePeersAreRefused) {
  left_channel_ = left_->open({1, 1, kSmall, kSmall, false, false});
  right_channel_ = right_->open({0, 1, kSmall, 2 * kSmall, false, false});
  EXPECT_THROW(left_channel_->connect(right_channel_->address()), Error);
}

}  // namespace
}  // namespace halyard::transport::verbs
