// The UCX backend between real processes, through the worker and channel interfaces only.
//
// Ranks form a ring: a channel to the right and one to the left, so 2 ranks have two channels to one peer and 1 rank
// has two to itself. Payloads are coded by (sender, direction, message, word), so a wrong word names its origin.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "transport/ucx/factory.hpp"

namespace halyard::transport {
namespace {

constexpr int kRight = 0;
constexpr int kLeft = 1;
constexpr std::chrono::seconds kPatience{60};

int rank() {
  int value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &value);
  return value;
}

int num_ranks() {
  int value = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &value);
  return value;
}

Blob swap(const Blob& own, int to, int from) {
  std::uint64_t bytes = own.size(), incoming_bytes = 0;
  MPI_Sendrecv(&bytes, 1, MPI_UINT64_T, to, 0, &incoming_bytes, 1, MPI_UINT64_T, from, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  Blob incoming(incoming_bytes);
  MPI_Sendrecv(own.data(), static_cast<int>(bytes), MPI_BYTE, to, 1, incoming.data(), static_cast<int>(incoming_bytes),
               MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return incoming;
}

std::uint64_t code(int sender, int direction, std::uint64_t message, std::uint64_t word) {
  return (static_cast<std::uint64_t>(sender) << 56) | (static_cast<std::uint64_t>(direction) << 52) | (message << 28) |
         word;
}

void fill(std::byte* data, std::int64_t bytes, int sender, int direction, std::uint64_t message) {
  for (std::int64_t at = 0; at < bytes; at += 8) {
    const std::uint64_t value = code(sender, direction, message, static_cast<std::uint64_t>(at / 8));
    std::memcpy(data + at, &value, static_cast<std::size_t>(std::min<std::int64_t>(8, bytes - at)));
  }
}

/// Number of words that are not what the sender wrote.
std::int64_t num_wrong(const std::byte* data, std::int64_t bytes, int sender, int direction, std::uint64_t message) {
  std::int64_t wrong = 0;
  for (std::int64_t at = 0; at < bytes; at += 8) {
    const std::uint64_t value = code(sender, direction, message, static_cast<std::uint64_t>(at / 8));
    if (std::memcmp(data + at, &value, static_cast<std::size_t>(std::min<std::int64_t>(8, bytes - at))) != 0) ++wrong;
  }
  return wrong;
}

/// One end of a connection with its counts.
struct End {
  std::unique_ptr<Channel> channel;
  int peer = 0;
  int direction = 0;  // of what it sends
  std::uint64_t num_sent = 0;
  std::uint64_t num_received = 0;

  bool send(std::int64_t bytes) {
    if (!channel->may_post()) return false;
    ++num_sent;
    std::byte* buffer = channel->send_buffer();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer) % 64, 0U);
    fill(buffer, bytes, rank(), direction, num_sent);
    channel->post(bytes, num_sent * 10 + static_cast<std::uint64_t>(direction));
    return true;
  }

  bool receive(std::int64_t bytes) {
    const auto message = channel->receive();
    if (!message) return false;
    ++num_received;
    EXPECT_EQ(message->tag, num_received * 10 + static_cast<std::uint64_t>(1 - direction));
    EXPECT_EQ(num_wrong(message->data, bytes, peer, 1 - direction, num_received), 0) << "message " << num_received;
    channel->release();
    return true;
  }
};

class UcxChannelTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string refusal;
    worker_ = ucx::open_worker({}, refusal);
    if (!worker_) GTEST_SKIP() << refusal;
  }

  /// Collective.
  std::array<End, 2> open_ring(std::int64_t right_bytes, std::int64_t left_bytes) {
    const int right = (rank() + 1) % num_ranks();
    const int left = (rank() + num_ranks() - 1) % num_ranks();
    ++binding_;
    std::array<End, 2> ends;
    ends[kRight] = {worker_->open({right, binding_, right_bytes, left_bytes, false, false}), right, kRight};
    ends[kLeft] = {worker_->open({left, binding_, left_bytes, right_bytes, false, false}), left, kLeft};
    const Blob for_left = swap(ends[kRight].channel->address(), right, left);
    const Blob for_right = swap(ends[kLeft].channel->address(), left, right);
    ends[kLeft].channel->connect(for_left);
    ends[kRight].channel->connect(for_right);
    return ends;
  }

  /// Drives the worker until `is_done`; the test fails when it takes too long.
  template <class Condition>
  bool drive_until(Condition is_done) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!is_done()) {
      worker_->progress();
      if (std::chrono::steady_clock::now() > end) {
        ADD_FAILURE() << "rank " << rank() << " waited in vain";
        return false;
      }
    }
    return true;
  }

  /// A barrier in which this rank keeps answering its peers.
  void meet() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    drive_until([&] {
      int is_here = 0;
      MPI_Test(&request, &is_here, MPI_STATUS_IGNORE);
      return is_here != 0;
    });
  }

  static bool is_through(End& end, std::uint64_t count) {
    return end.num_received == count && end.channel->num_delivered() == count;
  }

  /// Each rank sends `count` messages both ways and receives as many; `every` slows the reader.
  void stream_both_ways(std::array<End, 2>& ends, std::int64_t bytes, std::uint64_t count, int every = 1) {
    std::uint64_t turn = 0;
    drive_until([&] {
      const bool may_read = ++turn % static_cast<std::uint64_t>(every) == 0;
      for (End& end : ends) {
        if (end.num_sent < count) end.send(bytes);
        if (may_read && end.num_received < count) end.receive(bytes);
      }
      return is_through(ends[kRight], count) && is_through(ends[kLeft], count);
    });
  }

  std::unique_ptr<Worker> worker_;
  std::uint64_t binding_ = 0;
};

TEST_F(UcxChannelTest, CarriesMessagesOfAllSizesBothWays) {
  for (const std::int64_t bytes : {0, 1, 8, 4096, 65536 + 8, 3 << 20}) {
    auto ends = open_ring(bytes, bytes);
    stream_both_ways(ends, bytes, 20);
    meet();
  }
}

TEST_F(UcxChannelTest, CarriesShorterMessagesThanTheLargest) {
  auto ends = open_ring(100'000, 100'000);
  for (std::uint64_t count = 1; count <= 12; ++count) {
    stream_both_ways(ends, static_cast<std::int64_t>((count * 7919) % 100'000), count);
  }
  meet();
}

TEST_F(UcxChannelTest, NeverShowsAMessageBeforeAllOfItIsThere) {
  // The order of data and sequence word, under load, at sizes on both sides of UCX's thresholds.
  for (const std::int64_t bytes : {8, 600, 9000, 40'000, 300'000}) {
    auto ends = open_ring(bytes, bytes);
    stream_both_ways(ends, bytes, bytes < 1000 ? 3000 : bytes < 100'000 ? 600 : 100);
    meet();
  }
}

TEST_F(UcxChannelTest, ASlowReaderHoldsItsWriterBack) {
  auto ends = open_ring(4096, 4096);
  stream_both_ways(ends, 4096, 2000, 50);
  meet();
}

TEST_F(UcxChannelTest, GrantsExactlyTwoMessagesToAReaderThatDoesNotRead) {
  auto ends = open_ring(64, 64);
  End& sender = ends[kRight];
  EXPECT_TRUE(sender.send(64));
  EXPECT_TRUE(sender.send(64));
  EXPECT_FALSE(sender.send(64));
  drive_until([&] { return sender.channel->num_delivered() == 2; });
  meet();
  EXPECT_FALSE(sender.send(64));
  meet();
  End& receiver = ends[kLeft];
  drive_until([&] { return receiver.receive(64); });
  drive_until([&] { return sender.send(64); });
  drive_until([&] { return receiver.receive(64); });
  drive_until([&] { return receiver.receive(64); });
  EXPECT_FALSE(receiver.receive(64));
  drive_until([&] { return sender.channel->num_delivered() == 3; });
  meet();
}

TEST_F(UcxChannelTest, OneWayStreamsRunOnCreditsAlone) {
  auto ends = open_ring(20'000, 0);
  drive_until([&] {
    if (ends[kRight].num_sent < 2000) ends[kRight].send(20'000);
    if (ends[kLeft].num_received < 2000) ends[kLeft].receive(20'000);
    return ends[kLeft].num_received == 2000 && ends[kRight].channel->num_delivered() == 2000;
  });
  meet();
}

TEST_F(UcxChannelTest, UnevenTrafficNeverRunsOutOfCredit) {
  // Left ends post one message for every five that they consume: some credits ride on headers, others go alone.
  auto ends = open_ring(128, 128);
  drive_until([&] {
    if (ends[kRight].num_sent < 1000) ends[kRight].send(128);
    if (ends[kLeft].num_received < 1000) ends[kLeft].receive(128);
    if (ends[kLeft].num_sent < ends[kLeft].num_received / 5) ends[kLeft].send(128);
    if (ends[kRight].num_received < 200) ends[kRight].receive(128);
    return ends[kLeft].num_received == 1000 && ends[kRight].num_received == 200 &&
           ends[kRight].channel->num_delivered() == 1000 && ends[kLeft].channel->num_delivered() == 200;
  });
  meet();
}

TEST_F(UcxChannelTest, SeveralChannelsToOnePeerDoNotMix) {
  std::vector<std::array<End, 2>> rings;
  for (int i = 0; i < 8; ++i) rings.push_back(open_ring(1000 + i, 1000 + i));
  drive_until([&] {
    bool all_done = true;
    for (std::size_t i = 0; i < rings.size(); ++i) {
      for (End& end : rings[i]) {
        if (end.num_sent < 200) end.send(1000 + static_cast<std::int64_t>(i));
        if (end.num_received < 200) end.receive(1000 + static_cast<std::int64_t>(i));
        all_done = all_done && end.num_received == 200 && end.channel->num_delivered() == 200;
      }
    }
    return all_done;
  });
  meet();
}

TEST_F(UcxChannelTest, RegistersOncePerChannelAndNeverWhileMessagesRun) {
  const std::uint64_t before = ucx::num_registrations();
  auto ends = open_ring(50'000, 50'000);
  EXPECT_EQ(ucx::num_registrations(), before + 2);
  stream_both_ways(ends, 50'000, 200);
  EXPECT_EQ(ucx::num_registrations(), before + 2);
  meet();
}

TEST_F(UcxChannelTest, AMessageStaysUntilItIsReleased) {
  auto ends = open_ring(8, 8);
  ends[kRight].send(8);
  Channel& reader = *ends[kLeft].channel;
  drive_until([&] { return reader.receive().has_value(); });
  EXPECT_EQ(reader.receive()->tag, 10U);
  EXPECT_EQ(reader.receive()->data, reader.receive()->data);
  reader.release();
  EXPECT_FALSE(reader.receive().has_value());
  meet();
}

TEST_F(UcxChannelTest, ChannelsMayBeDestroyedWithMessagesUnread) {
  for (int round = 0; round < 20; ++round) {
    auto ends = open_ring(200'000, 200'000);
    ends[kRight].send(200'000);
    if (round % 2 == 0) meet();
    if (round % 3 == 0) ends[kLeft].send(200'000);
  }
  auto ends = open_ring(10'000, 10'000);
  stream_both_ways(ends, 10'000, 100);
  meet();
}

TEST_F(UcxChannelTest, MemoryOfDestroyedChannelsComesBack) {
  const std::uint64_t before = ucx::registered_bytes();
  for (int round = 0; round < 30; ++round) {
    auto ends = open_ring(1 << 20, 1 << 20);
    stream_both_ways(ends, 1 << 20, 2);
    meet();
  }
  // What one round needs, for each of: the last one, and one whose farewell may still be under way.
  meet();
  auto ends = open_ring(0, 0);
  EXPECT_LE(ucx::registered_bytes() - before, std::uint64_t{3} * 2 * 4 * ((1 << 20) + 4096));
  meet();
}

TEST_F(UcxChannelTest, AWorkerMayCloseAsSoonAsItsLastMessageIsPosted) {
  // Even ranks leave at once; odd ranks must still get everything.
  if (num_ranks() % 2 != 0) GTEST_SKIP() << "needs an even number of ranks";
  auto ends = open_ring(1 << 20, 1 << 20);
  if (rank() % 2 == 0) {
    drive_until(
        [&] { return ends[kRight].num_sent == 2 || !ends[kRight].send(1 << 20) || ends[kRight].num_sent == 2; });
    drive_until([&] { return ends[kRight].channel->num_delivered() == 2; });
    ends = {};
    worker_.reset();
  } else {
    drive_until([&] { return ends[kLeft].receive(1 << 20); });
    drive_until([&] { return ends[kLeft].receive(1 << 20); });
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(UcxChannelTest, GivingUpReachesThePeerWithTheCulprit) {
  auto ends = open_ring(8, 8);
  ends[kRight].channel->give_up(5);
  Channel& left = *ends[kLeft].channel;
  drive_until([&] { return left.failure() != StatusCode::ok; });
  EXPECT_EQ(left.failure(), StatusCode::peer_failed);
  EXPECT_EQ(left.failure_text(), "rank " + std::to_string(ends[kLeft].peer) + " gave up because of rank 5");
  EXPECT_FALSE(left.may_post());
  meet();
}

TEST_F(UcxChannelTest, EndsThatDisagreeAreRefusedWithBothNumbers) {
  const int right = (rank() + 1) % num_ranks();
  const int left = (rank() + num_ranks() - 1) % num_ranks();
  auto channel = worker_->open({right, 7, 100, 100, false, false});
  const Blob address = swap(worker_->open({left, 7, 100, 96, false, false})->address(), left, right);
  try {
    channel->connect(address);
    FAIL() << "was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), StatusCode::disagreement);
    EXPECT_NE(error.status().text().find("up to 96 bytes"), std::string::npos) << error.what();
  }
  EXPECT_THROW(channel->connect({}), Error);
}

TEST_F(UcxChannelTest, NamesItsTransport) {
  auto ends = open_ring(8, 8);
  stream_both_ways(ends, 8, 1);
  EXPECT_NE(ends[kRight].channel->form().find(" over "), std::string::npos) << ends[kRight].channel->form();
  EXPECT_TRUE(ucx::describe(*worker_).starts_with("ucx 1.")) << ucx::describe(*worker_);
  meet();
}

TEST_F(UcxChannelTest, RefusesInPlaceMessages) {
  EXPECT_THROW(worker_->open({0, 1, 8, 8, true, false}), Error);
  EXPECT_FALSE(worker_->exported(this, 8).has_value());
}

}  // namespace
}  // namespace halyard::transport
