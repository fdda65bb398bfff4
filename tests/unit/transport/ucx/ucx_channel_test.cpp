// Messages over the UCX backend between real processes, through the worker and channel interfaces only.
#include "ucx_ring.hpp"

namespace halyard::transport {
namespace {

using UcxChannelTest = UcxRing;

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

TEST_F(UcxChannelTest, NamesItsTransport) {
  auto ends = open_ring(8, 8);
  stream_both_ways(ends, 8, 1);
  EXPECT_NE(ends[kRight].channel->form().find(" over "), std::string::npos) << ends[kRight].channel->form();
  EXPECT_TRUE(ucx::describe(*worker_).starts_with("ucx 1.")) << ucx::describe(*worker_);
  meet();
}

TEST_F(UcxChannelTest, ThreadsMayDriveChannelsOfTheirOwnOverOneWorker) {
  std::string refusal;
  worker_ = ucx::open_worker({.needs_threads = true}, refusal);
  if (!worker_) GTEST_SKIP() << refusal;
  std::vector<std::array<End, 2>> rings;
  for (int i = 0; i < 3; ++i) rings.push_back(open_ring(5000, 5000));
  std::vector<std::thread> threads;
  for (auto& ring : rings) threads.emplace_back([&] { stream_both_ways(ring, 5000, 300); });
  for (std::thread& thread : threads) thread.join();
  meet();
}

}  // namespace
}  // namespace halyard::transport
