// Messages over verbs that the NIC gathers from where they lie (docs/adr/0045): whole whatever their pieces, over one
// rail or two, with a header or bare, in no more packets than packed ones; and when their memory is free again.
#include <sys/mman.h>

#include <algorithm>
#include <numeric>

#include "rdma/channel_ends.hpp"

namespace halyard::transport::verbs {
namespace {

class VerbsInPlace : public ChannelEnds {
 protected:
  /// A message in pieces of these sizes, apart in memory; negative: bytes that nobody reads.
  void connect_lying(const std::vector<std::int64_t>& pieces, std::uint64_t binding = 1) {
    pieces_ = pieces;
    bytes_ = std::transform_reduce(pieces.begin(), pieces.end(), std::int64_t{0}, std::plus<>(),
                                   [](std::int64_t bytes) { return std::abs(bytes); });
    memory_.assign(static_cast<std::size_t>(bytes_) + 32 * pieces.size(), std::byte{0});
    Parts parts;
    for (std::size_t i = 0, at = 0; i < pieces.size(); ++i) {
      const auto bytes = static_cast<std::uint64_t>(std::abs(pieces[i]));
      parts.push_back({pieces[i] < 0 ? nullptr : memory_.data() + at, bytes});
      at += bytes + 32;
    }
    connect(bytes_, binding, {parts});
    ASSERT_EQ(left_channel_->why_packed(0), "");
  }

  void write(std::uint64_t message) {
    std::byte* to = memory_.data();
    std::int64_t at = 0;
    for (const std::int64_t piece : pieces_) {
      for (std::int64_t i = 0; i < piece; ++i) to[i] = code(message, at + i);
      to += std::abs(piece) + 32;
      at += std::abs(piece);
    }
  }

  bool post_lying(std::uint64_t message) {
    const auto end = Clock::now() + kPatience;
    while (!left_channel_->may_post())
      if (Clock::now() > end || left_channel_->failure() != StatusCode::ok) return false;
    write(message);
    left_channel_->post_unpacked(0, bytes_, message);
    return true;
  }

  bool is_delivered(std::uint64_t message) {
    const auto end = Clock::now() + kPatience;
    while (left_channel_->num_delivered() < message)
      if (Clock::now() > end || left_channel_->failure() != StatusCode::ok) return false;
    return true;
  }

  /// Number of wrong bytes among those that are read; -1 when nothing came.
  std::int64_t receive_lying(std::uint64_t message) {
    const auto end = Clock::now() + kPatience;
    auto incoming = right_channel_->receive();
    while (!incoming && Clock::now() < end) incoming = right_channel_->receive();
    if (!incoming) return -1;
    std::int64_t wrong = incoming->tag == message ? 0 : 1;
    std::int64_t at = 0;
    for (const std::int64_t piece : pieces_) {
      for (std::int64_t i = at; i < at + piece; ++i) wrong += incoming->data[i] == code(message, i) ? 0 : 1;
      at += std::abs(piece);
    }
    right_channel_->release();
    return wrong;
  }

  std::vector<std::int64_t> pieces_;
  std::int64_t bytes_ = 0;
  std::vector<std::byte> memory_;
};

TEST_F(VerbsInPlace, MessagesOfEveryShapeAreWhole) {
  std::uint64_t binding = 1;
  const std::vector<std::vector<std::int64_t>> shapes{{1},
                                                      {4032},
                                                      {4033},
                                                      {4096},
                                                      {3, -13, 100, -12},
                                                      {65472},
                                                      {300'001},
                                                      {1 << 20},
                                                      std::vector<std::int64_t>(15, 777)};
  for (const auto& pieces : shapes) {
    connect_lying(pieces, binding++);
    for (std::uint64_t message = 1; message <= 5; ++message) {
      ASSERT_TRUE(post_lying(message));
      ASSERT_TRUE(is_delivered(message));
      write(99);  // free
      ASSERT_EQ(receive_lying(message), 0) << bytes_;
    }
  }
}

// What the NIC may still read it does not: packets are held back, so nothing has been acknowledged.
TEST_F(VerbsInPlace, AMessageIsDeliveredOnlyOnceItIsAcknowledged) {
  connect_lying({8192, 4096});
  {
    const LatePackets late("vb");
    ASSERT_TRUE(post_lying(1));
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(left_channel_->num_delivered(), 0U);
    ASSERT_TRUE(is_delivered(1));
  }
  EXPECT_EQ(receive_lying(1), 0);
}

TEST_F(VerbsInPlace, SeveralRailsShareALargeMessageInPieces) {
  open("rxe0,rxe1", "rxe0,rxe1");
  std::uint64_t binding = 1;
  const std::vector<std::vector<std::int64_t>> shapes{
      {1 << 20}, {100, 70'000, -4, 60'000}, {131'000, 100, 131'000}, {64, 65'408}, std::vector<std::int64_t>(15, 8736)};
  for (const auto& pieces : shapes) {
    connect_lying(pieces, binding++);
    for (std::uint64_t message = 1; message <= 4; ++message) {
      ASSERT_TRUE(post_lying(message));
      ASSERT_TRUE(is_delivered(message));
      ASSERT_EQ(receive_lying(message), 0) << bytes_;
    }
  }
}

TEST_F(VerbsInPlace, PackedAndLyingMessagesTakeTurns) {
  connect_lying({4000, 96});
  for (std::uint64_t message = 1; message <= 60; ++message) {
    if (message % 3 == 0) {
      ASSERT_TRUE(post_patiently(*left_channel_, message, kSmall));
      ASSERT_EQ(receive(*right_channel_, message, kSmall), 0) << message;
    } else {
      ASSERT_TRUE(post_lying(message));
      ASSERT_TRUE(is_delivered(message));
      ASSERT_EQ(receive_lying(message), 0) << message;
    }
  }
}

// More than all queues together have entries; nobody asks whether a message is delivered, may_post() must.
TEST_F(VerbsInPlace, V01ThousandsOfMessagesOneWayOverrunNoQueue) {
  constexpr std::uint64_t kMessages = 1500;
  connect_lying({256, 256});
  for (std::uint64_t message = 1; message <= kMessages; ++message) {
    ASSERT_TRUE(post_lying(message)) << message << ": " << left_channel_->failure_text();
    ASSERT_EQ(receive_lying(message), 0) << message;
  }
  EXPECT_EQ(left_channel_->failure(), StatusCode::ok) << left_channel_->failure_text();
}

// 4096 bytes go bare; 16 KiB and the header would be five packets. An acknowledgment each.
TEST_F(VerbsInPlace, MessagesTakeNoMorePacketsThanPackedOnes) {
  constexpr std::uint64_t kMessages = 100;
  std::uint64_t binding = 1;
  for (const std::int64_t packets : {1, 4}) {
    const std::int64_t bytes = packets * 4096;
    connect_lying({bytes / 2, bytes / 2}, binding++);
    ASSERT_TRUE(post_lying(1));
    ASSERT_EQ(receive_lying(1), 0);
    ASSERT_TRUE(is_delivered(1));
    const std::uint64_t before = sum_of_counters("sent_pkts");
    for (std::uint64_t message = 2; message <= kMessages; ++message) {
      ASSERT_TRUE(post_lying(message));
      ASSERT_TRUE(post_patiently(*right_channel_, message, bytes));
      ASSERT_EQ(receive_lying(message), 0) << message;
      ASSERT_EQ(receive(*left_channel_, message, bytes), 0) << message;
    }
    const auto most = 2 * (static_cast<std::uint64_t>(packets) + 1) * kMessages + 10;
    EXPECT_LE(sum_of_counters("sent_pkts") - before, most) << bytes;
  }
}

TEST_F(VerbsInPlace, MemoryThatCannotBeRegisteredIsPackedWithAReason) {
  constexpr std::size_t kPage = 4096;
  void* const page = mmap(nullptr, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  connect(kSmall, 1, {{{static_cast<const std::byte*>(page), kSmall}}});
  EXPECT_NE(left_channel_->why_packed(0).find("packed: register"), std::string::npos) << left_channel_->why_packed(0);
  ASSERT_TRUE(post_patiently(*left_channel_, 1, kSmall));
  EXPECT_EQ(receive(*right_channel_, 1, kSmall), 0);
  munmap(page, kPage);
}

TEST_F(VerbsInPlace, ALostPeerIsAFailureThoughTheMessageWasNotAcknowledged) {
  connect_lying({8192});
  ASSERT_TRUE(post_lying(1));
  ASSERT_EQ(receive_lying(1), 0);
  ASSERT_TRUE(is_delivered(1));
  ASSERT_EQ(std::system("ip link set vb down"), 0);
  ASSERT_TRUE(post_lying(2));
  const auto end = Clock::now() + kPatience;
  while (left_channel_->failure() == StatusCode::ok && Clock::now() < end) (void)left_channel_->num_delivered();
  EXPECT_EQ(left_channel_->failure(), StatusCode::peer_failed) << left_channel_->failure_text();
  EXPECT_EQ(left_channel_->num_delivered(), 1U);
  EXPECT_EQ(std::system("bash -c 'source \"$RDMA_MACHINE/networks.sh\" && mend_wire'"), 0);
}

}  // namespace
}  // namespace halyard::transport::verbs
