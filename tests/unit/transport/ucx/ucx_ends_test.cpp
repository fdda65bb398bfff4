// How channels and workers of the UCX backend end, and what they refuse, between real processes.
#include "ucx_ring.hpp"

namespace halyard::transport {
namespace {

using UcxEndsTest = UcxRing;

TEST_F(UcxEndsTest, ChannelsMayBeDestroyedWithMessagesUnread) {
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

TEST_F(UcxEndsTest, MemoryOfDestroyedChannelsComesBack) {
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

// Field case F05: an application that regrids makes its bindings anew every few steps.
TEST_F(UcxEndsTest, ChannelsMadeAnewComeToUseTheMemoryOfThoseThatEnded) {
  std::uint64_t before = 0;
  for (int round = 0; round < 60; ++round) {
    if (round == 30) before = ucx::num_registrations();
    auto ends = open_ring(20'000, 20'000);
    stream_both_ways(ends, 20'000, 3);
    meet();
  }
  EXPECT_LE(ucx::num_registrations() - before, 2U) << "30 rounds of two channels";
}

TEST_F(UcxEndsTest, WithALimitOfOneByteEveryChannelRegistersItsOwn) {
  std::string refusal;
  worker_ = ucx::open_worker({.registrations = {.regions = 1024, .bytes = 1}}, refusal);
  ASSERT_NE(worker_, nullptr) << refusal;
  const std::uint64_t before = ucx::num_registrations();
  for (int round = 0; round < 5; ++round) {
    auto ends = open_ring(20'000, 20'000);
    stream_both_ways(ends, 20'000, 3);
    meet();
  }
  EXPECT_EQ(ucx::num_registrations() - before, 10U);
}

TEST_F(UcxEndsTest, AWorkerMayCloseAsSoonAsItsLastMessageIsPosted) {
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

TEST_F(UcxEndsTest, GivingUpReachesThePeerWithTheCulprit) {
  auto ends = open_ring(8, 8);
  ends[kRight].channel->give_up(5);
  Channel& left = *ends[kLeft].channel;
  drive_until([&] { return left.failure() != StatusCode::ok; });
  EXPECT_EQ(left.failure(), StatusCode::peer_failed);
  EXPECT_EQ(left.failure_text(), "rank " + std::to_string(ends[kLeft].peer) + " gave up because of rank 5");
  EXPECT_FALSE(left.may_post());
  meet();
}

TEST_F(UcxEndsTest, EndsThatDisagreeAreRefusedWithBothNumbers) {
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

TEST_F(UcxEndsTest, RefusesInPlaceMessages) {
  EXPECT_THROW(worker_->open({0, 1, 8, 8, true, false}), Error);
  EXPECT_FALSE(worker_->exported(this, 8).has_value());
}

}  // namespace
}  // namespace halyard::transport
