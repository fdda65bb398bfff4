// StagedLink: the host between two kernels. The test plays both kernels on plain memory.
#include "exchange/gpu/staged_link.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "exchange/gpu/code.hpp"
#include "pack/device/compile.hpp"
#include "transport/loopback/factory.hpp"

namespace halyard::exchange::gpu {
namespace {

using pack::device::kConsumed;
using pack::device::kFirstArrived;
using pack::device::kGaveUp;
using pack::device::kWordStride;
using pack::device::word_of;
using testing::HasSubstr;

constexpr std::int64_t kBytes = 64;
constexpr std::uint32_t kChunks = 3;
constexpr auto kForward = code_of(Kind::forward, Reduce::sum);
constexpr auto kReverse = code_of(Kind::reverse, Reduce::sum);

// Words and two slots, as mapped host memory holds them.
struct Side {
  HostSide view() { return {slots.data(), kBytes, words.data()}; }
  std::uint64_t word(std::uint32_t index) const { return words[std::size_t{index} * kWordStride]; }
  void set(std::uint32_t index, std::uint64_t word) { words[std::size_t{index} * kWordStride] = word; }
  std::byte* slot(std::uint64_t number) { return slots.data() + number % 2 * kBytes; }

  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(std::size_t{kFirstArrived + 8} * kWordStride);
  std::vector<std::byte> slots = std::vector<std::byte>(2 * kBytes);
};

// One end with what its kernel would do.
class End {
 public:
  explicit End(int rank) : rank_(rank), link_(1 - rank, *worker_, worker_->open(spec())) {
    link_.set_sides(out.view(), in.view());
    StagedKind kind;
    kind.send_bytes = kind.receive_bytes = kBytes;
    kind.send_hash = kind.receive_hash = 77;
    kind.num_send_chunks = kChunks;
    link_.set_kind(Kind::forward, kind);
    link_.set_kind(Kind::reverse, kind);
  }

  StagedLink& link() { return link_; }
  static void connect(End& a, End& b) {
    const auto of_a = a.link_.channel().address();
    a.link_.channel().connect(b.link_.channel().address());
    b.link_.channel().connect(of_a);
  }

  void pack(std::uint64_t number, std::uint32_t num_chunks = kChunks, std::uint32_t code = kForward) {
    std::memset(out.slot(number), text_of(number), kBytes);
    for (std::uint32_t k = 0; k < num_chunks; ++k) out.set(kFirstArrived + k, word_of(number, code));
  }
  bool has_arrived(std::uint64_t number) {
    return in.word(kFirstArrived) == word_of(number, kForward) &&
           std::memcmp(in.slot(number),
                       std::vector(kBytes, static_cast<char>(10 * (1 - rank_) + static_cast<int>(number))).data(),
                       kBytes) == 0;
  }
  void finish(std::uint64_t number) { out.set(kConsumed, word_of(number, kForward)); }

  Side out;
  Side in;

 private:
  int text_of(std::uint64_t number) const { return 10 * rank_ + static_cast<int>(number); }
  transport::ChannelSpec spec() const {
    transport::ChannelSpec spec;
    spec.peer = 1 - rank_;
    spec.binding = 1;
    spec.send_bytes = spec.receive_bytes = kBytes;
    return spec;
  }

  int rank_;
  std::unique_ptr<transport::Worker> worker_ =
      transport::loopback::open_worker(Path::shared, transport::loopback::Exports::nothing);
  StagedLink link_;
};

class StagedLinkTest : public testing::Test {
 protected:
  StagedLinkTest() { End::connect(a, b); }
  void settle() {
    for (int quiet = 0; quiet < 3;) quiet = a.link().advance() | b.link().advance() ? 0 : quiet + 1;
  }

  End a{0};
  End b{1};
};

TEST_F(StagedLinkTest, MovesAMessageOnceAllItsChunksArePacked) {
  a.pack(1, kChunks - 1);
  settle();
  EXPECT_EQ(a.link().staged_bytes(), 0U);
  EXPECT_EQ(b.link().num_received(), 0U);
  a.pack(1);
  settle();
  EXPECT_TRUE(b.has_arrived(1));
  EXPECT_EQ(b.link().num_received(), 1U);
  EXPECT_TRUE(a.link().has_sent(1));
  EXPECT_FALSE(a.link().has_sent(2));
  EXPECT_EQ(a.in.word(kConsumed), word_of(1, kForward)) << "the kernel may pack the next one";
  EXPECT_EQ(a.link().staged_bytes(), static_cast<std::uint64_t>(kBytes));
}

TEST_F(StagedLinkTest, OverwritesNoSlotThatTheKernelHasNotRead) {
  for (std::uint64_t number = 1; number <= 3; ++number) {
    a.pack(number);
    settle();
  }
  EXPECT_EQ(b.link().num_received(), 2U);
  EXPECT_EQ(std::to_integer<int>(*b.in.slot(1)), 1) << "message 3 would lie in the slot of message 1";
  b.finish(1);
  settle();
  EXPECT_EQ(b.link().num_received(), 3U);
  EXPECT_TRUE(b.has_arrived(3));
}

TEST_F(StagedLinkTest, RunsBothWaysForManyExchanges) {
  for (std::uint64_t number = 1; number <= 20; ++number) {
    a.pack(number);
    b.pack(number);
    settle();
    ASSERT_TRUE(a.has_arrived(number));
    ASSERT_TRUE(b.has_arrived(number));
    a.finish(number);
    b.finish(number);
  }
}

TEST_F(StagedLinkTest, ShowsTheKernelWhichKindOfExchangeThePeerRuns) {
  a.pack(1, kChunks, kReverse);
  settle();
  EXPECT_EQ(b.in.word(kFirstArrived), word_of(1, kReverse));
}

TEST_F(StagedLinkTest, FailsWhenTheLayoutsDiffer) {
  StagedKind other;
  other.send_bytes = other.receive_bytes = kBytes;
  other.receive_hash = 78;
  b.link().set_kind(Kind::forward, other);
  a.pack(1);
  settle();
  ASSERT_TRUE(b.link().has_failed());
  EXPECT_EQ(b.link().failure().code(), StatusCode::disagreement);
  EXPECT_THAT(b.link().failure().text(), HasSubstr("message 1 from rank 0"));
  EXPECT_EQ(b.in.word(kConsumed), kGaveUp) << "the kernel must stop";
}

TEST_F(StagedLinkTest, AKernelThatGivesUpIsHeardByThePeersKernelOnceItNeedsIt) {
  a.out.set(kConsumed, kGaveUp);
  settle();
  EXPECT_FALSE(b.link().has_failed()) << "it needs nothing yet";
  b.pack(1);
  settle();
  ASSERT_TRUE(b.link().has_failed());
  EXPECT_EQ(b.link().failure().code(), StatusCode::peer_failed);
  EXPECT_EQ(b.in.word(kConsumed), kGaveUp);
}

TEST_F(StagedLinkTest, APeerThatIsGoneAfterItsLastMessageIsNoFailure) {
  a.pack(1);
  b.pack(1);
  settle();
  (void)a.link().take_channel();
  for (int i = 0; i < 3; ++i) b.link().advance();
  EXPECT_FALSE(b.link().has_failed());
  EXPECT_TRUE(b.has_arrived(1));
  b.finish(1);
  b.pack(2);
  for (int i = 0; i < 3; ++i) b.link().advance();
  EXPECT_TRUE(b.link().has_failed()) << "the next exchange needs it";
}

}  // namespace
}  // namespace halyard::exchange::gpu
