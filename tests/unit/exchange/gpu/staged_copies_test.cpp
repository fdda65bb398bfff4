// StagedLink with copy engines: messages are packed and unpacked on the GPU, and streams bring them to the channel's
// buffers and back. The test plays the kernels and the peer; the GPU is the emulated one, whose streams can be late.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "device/emulated.hpp"
#include "exchange/gpu/code.hpp"
#include "exchange/gpu/staged_link.hpp"
#include "pack/device/compile.hpp"
#include "transport/loopback/factory.hpp"

namespace halyard::exchange::gpu {
namespace {

using pack::device::kConsumed;
using pack::device::kFirstArrived;
using pack::device::kGaveUp;
using pack::device::kSent;
using pack::device::kWordStride;
using pack::device::word_of;

constexpr std::int64_t kBytes = 512;
constexpr std::size_t kSlots = 2 * kBytes;
constexpr std::size_t kWords = std::size_t{kFirstArrived + 1} * kWordStride;
constexpr std::uint64_t kHash = 77;
constexpr auto kForward = code_of(Kind::forward, Reduce::sum);

std::vector<char> message(std::uint64_t number) { return std::vector<char>(kBytes, static_cast<char>(number)); }

/// One end of a channel; what is posted lies in `posted`, what arrives the test puts into receive_slot().
class TestChannel final : public transport::Channel {
 public:
  explicit TestChannel(bool shows_buffers) : shows_buffers_(shows_buffers) {}
  transport::Blob address() override { return {}; }
  void connect(std::span<const std::byte>) override {}
  std::vector<std::span<std::byte>> buffers() override {
    if (!shows_buffers_) return {};
    return {{memory, sizeof(memory)}};
  }
  bool may_post() override { return true; }
  std::byte* send_buffer() override { return memory + (posted.size() + 1) % 2 * kBytes; }
  void post(std::int64_t, std::uint64_t) override {
    const auto* text = reinterpret_cast<const char*>(send_buffer());
    posted.emplace_back(text, text + kBytes);
  }
  std::uint64_t num_delivered() override { return posted.size(); }
  std::optional<transport::Incoming> receive() override {
    if (num_arrived == num_released) return std::nullopt;
    return transport::Incoming{receive_slot(num_released + 1),
                               Tag{num_released + 1, Kind::forward, Reduce::sum, kHash}.word()};
  }
  void release() override { ++num_released; }
  std::string form() const override { return "of the test"; }

  std::byte* receive_slot(std::uint64_t number) { return memory + kSlots + number % 2 * kBytes; }

  alignas(4096) std::byte memory[2 * kSlots] = {};
  std::vector<std::vector<char>> posted;
  std::uint64_t num_arrived = 0;
  std::uint64_t num_released = 0;

 private:
  bool shows_buffers_;
};

class StagedByEngines : public testing::TestWithParam<bool> {
 protected:
  StagedByEngines() : link_(1, *worker_, std::make_unique<TestChannel>(GetParam())) {
    slots_ = static_cast<std::byte*>(device_->allocate(0, 2 * kSlots + kWords * sizeof(std::uint64_t)));
    stop_over_ = static_cast<std::byte*>(device_->allocate_mapped(2 * kSlots));
    words_ = static_cast<std::uint64_t*>(device_->allocate_mapped(2 * kWords * sizeof(std::uint64_t)));
    link_.set_sides({nullptr, kBytes, words_}, {nullptr, kBytes, words_ + kWords});
    StagedKind kind;
    kind.send_bytes = kind.receive_bytes = kBytes;
    kind.send_hash = kind.receive_hash = kHash;
    link_.set_kind(Kind::forward, kind);
    auto copies = std::make_unique<StagedCopies>(
        streams_, GpuSide{slots_, slots_ + kSlots, kBytes, reinterpret_cast<std::uint64_t*>(slots_ + 2 * kSlots)},
        StopOver{stop_over_, stop_over_ + kSlots, kBytes, words_ + kWords});
    why_not_pinned_ = copies->pin(channel().buffers());
    link_.set_copies(std::move(copies));
  }
  ~StagedByEngines() override {
    (void)link_.take_channel();
    streams_.reset();
    device_->deallocate(slots_);
    device_->deallocate_mapped(stop_over_);
    device_->deallocate_mapped(words_);
  }

  TestChannel& channel() { return static_cast<TestChannel&>(link_.channel()); }
  std::uint64_t on_gpu(std::uint32_t index) const {
    std::uint64_t word = 0;
    device_->copy(&word, slots_ + 2 * kSlots + index * kWordStride * sizeof(word), sizeof(word));
    return word;
  }
  void kernel_packs(std::uint64_t number) {
    std::memcpy(device_->host_view(slots_ + number % 2 * kBytes), message(number).data(), kBytes);
    words_[std::size_t{kFirstArrived} * kWordStride] = word_of(number, kForward);
  }
  void kernel_finishes(std::uint64_t number) {
    words_[std::size_t{kConsumed} * kWordStride] = word_of(number, kForward);
  }
  void message_arrives(std::uint64_t number) {
    std::memcpy(channel().receive_slot(number), message(number).data(), kBytes);
    channel().num_arrived = number;
  }
  bool has_landed(std::uint64_t number) {
    return std::memcmp(device_->host_view(slots_ + kSlots + number % 2 * kBytes), message(number).data(), kBytes) == 0;
  }
  /// Advances the link until `condition` holds; false when it does not for seconds.
  template <class Condition>
  bool until(const Condition& condition) {
    const auto begin = std::chrono::steady_clock::now();
    while (!condition()) {
      link_.advance();
      std::this_thread::yield();
      if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(20)) return false;
    }
    return true;
  }
  bool has_posted(std::uint64_t number) {
    return until([&] { return channel().posted.size() >= number; });
  }

  std::shared_ptr<device::EmulatedDevice> device_ = device::EmulatedDevice::make(1);
  std::unique_ptr<transport::Worker> worker_ =
      transport::loopback::open_worker(Path::shared, transport::loopback::Exports::nothing);
  std::shared_ptr<CopyStreams> streams_ = std::make_shared<CopyStreams>(device_, 0);
  StagedLink link_;
  std::byte* slots_ = nullptr;  // sent, landing, words
  std::byte* stop_over_ = nullptr;
  std::uint64_t* words_ = nullptr;  // what kernels raise, then what says how far the streams are
  std::string why_not_pinned_;
};

TEST_P(StagedByEngines, MessagesGoBothWaysInOneCopyEach) {
  for (std::uint64_t number = 1; number <= 5; ++number) {
    kernel_packs(number);
    message_arrives(number);
    ASSERT_TRUE(has_posted(number));
    EXPECT_EQ(channel().posted.back(), message(number));
    ASSERT_TRUE(until([&] { return link_.num_received() == number; }));
    EXPECT_TRUE(has_landed(number));
    EXPECT_EQ(on_gpu(kFirstArrived), word_of(number, kForward));
    EXPECT_EQ(on_gpu(kSent), word_of(number, kForward));
    EXPECT_EQ(channel().num_released, number);
    kernel_finishes(number);
  }
  EXPECT_EQ(device_->counts().stream_copies, 10U);
  EXPECT_EQ(link_.staged_bytes(), 5U * kBytes);
}

TEST_P(StagedByEngines, OnlyBuffersThatCannotBePinnedTakeAnotherStop) {
  kernel_packs(1);
  message_arrives(1);
  ASSERT_TRUE(has_posted(1));
  ASSERT_TRUE(until([&] { return link_.num_received() == 1; }));
  EXPECT_EQ(why_not_pinned_.empty(), GetParam()) << why_not_pinned_;
  const bool was_used = std::any_of(stop_over_, stop_over_ + 2 * kSlots, [](std::byte b) { return b != std::byte{}; });
  EXPECT_NE(was_used, GetParam());
  auto kept = link_.take_channel();
  EXPECT_EQ(device_->facts_of(static_cast<TestChannel&>(*kept).memory).kind, device::MemoryKind::host)
      << "nothing is pinned any more";
}

// The kernel packs ahead by one message, and its words are those of the next one before the copy has ended.
TEST_P(StagedByEngines, WhatIsOnItsWayOutIsNotMistakenForWhatIsPackedBehindIt) {
  device_->set_delay(streams_->out(), std::chrono::milliseconds(20));
  for (std::uint64_t number = 1; number <= 4; ++number) {
    kernel_packs(number);
    ASSERT_TRUE(until([&] { return on_gpu(kConsumed) == word_of(number, kForward); })) << "the credit";
  }
  ASSERT_TRUE(has_posted(4));
  for (std::uint64_t number = 1; number <= 4; ++number) EXPECT_EQ(channel().posted[number - 1], message(number));
}

TEST_P(StagedByEngines, ASlotThatTheKernelStillReadsIsNotWrittenAgain) {
  for (std::uint64_t number = 1; number <= 2; ++number) {
    message_arrives(number);
    ASSERT_TRUE(until([&] { return link_.num_received() == number; }));
  }
  message_arrives(3);
  for (int i = 0; i < 100; ++i) link_.advance();
  EXPECT_EQ(link_.num_received(), 2U);
  EXPECT_TRUE(has_landed(1));
  kernel_finishes(1);
  ASSERT_TRUE(until([&] { return link_.num_received() == 3; }));
  EXPECT_TRUE(has_landed(3));
}

// A credit that still waits in a stream must not take back what tells the kernel to stop.
TEST_P(StagedByEngines, ACopyThatTheDriverRefusesEndsTheLinkAndItsKernels) {
  device_->set_delay(streams_->out(), std::chrono::milliseconds(20));
  device_->fail_next(device::DriverCall::copy_in, 1, "an illegal address");
  kernel_packs(1);
  ASSERT_TRUE(until([&] { return link_.has_failed(); }));
  EXPECT_THAT(link_.failure().text(), testing::HasSubstr("an illegal address"));
  streams_->finish();
  EXPECT_EQ(on_gpu(kConsumed), kGaveUp);
  EXPECT_EQ(on_gpu(kSent), pack::device::kSentGaveUp);
  EXPECT_EQ(channel().posted.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Buffers, StagedByEngines, testing::Bool(),
                         [](const auto& tested) { return tested.param ? "pinned" : "not_shown"; });

}  // namespace
}  // namespace halyard::exchange::gpu
