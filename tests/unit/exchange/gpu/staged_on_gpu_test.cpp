// StagedLink where a NIC reaches GPU memory: messages go from slot to slot and the host moves words only. The test
// plays the kernels and the NIC; the GPU is the emulated one, on which a NIC's writes are seen late (field case Y06).
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <vector>

#include "device/emulated.hpp"
#include "exchange/gpu/code.hpp"
#include "exchange/gpu/staged/staged_link.hpp"
#include "pack/device/compile.hpp"
#include "transport/loopback/factory.hpp"

namespace halyard::exchange::gpu {
namespace {

using pack::device::kConsumed;
using pack::device::kFirstArrived;
using pack::device::kWordStride;
using pack::device::word_of;

constexpr std::int64_t kBytes = 64;
constexpr std::uint64_t kHash = 77;
constexpr auto kForward = code_of(Kind::forward, Reduce::sum);

std::uint64_t tag_of(std::uint64_t number) { return Tag{number, Kind::forward, Reduce::sum, kHash}.word(); }

/// One end of a channel whose NIC works when the test says so.
class NicChannel final : public transport::Channel {
 public:
  transport::Blob address() override { return {}; }
  void connect(std::span<const std::byte>) override {}
  bool may_post() override { return num_posted - num_consumed_by_peer < 2; }
  std::byte* send_buffer() override { return nullptr; }
  void post(std::int64_t, std::uint64_t tag) override {
    ++num_posted;
    last_tag = tag;
  }
  std::uint64_t num_delivered() override { return num_posted; }
  std::optional<transport::Incoming> receive() override {
    if (arrived.empty()) return std::nullopt;
    return transport::Incoming{nullptr, arrived.front()};
  }
  void release() override {
    arrived.pop_front();
    ++num_released;
  }
  std::string form() const override { return "a NIC"; }

  std::uint64_t num_posted = 0;
  std::uint64_t num_consumed_by_peer = 0;
  std::uint64_t num_released = 0;
  std::uint64_t last_tag = 0;
  std::deque<std::uint64_t> arrived;  // tags
};

class StagedOnGpu : public testing::Test {
 protected:
  StagedOnGpu() : link_(1, *worker_, std::make_unique<NicChannel>()) {
    slots_ = static_cast<std::byte*>(
        device_->allocate_as({.why_not_exportable = {}, .delays_remote_writes = true}, 2 * kBytes));
    link_.set_sides({nullptr, kBytes, out_.data()}, {nullptr, kBytes, in_.data()});
    link_.set_on_gpu(*device_, 0);
    StagedKind kind;
    kind.send_bytes = kind.receive_bytes = kBytes;
    kind.send_hash = kind.receive_hash = kHash;
    link_.set_kind(Kind::forward, kind);
  }
  ~StagedOnGpu() override { device_->deallocate(slots_); }

  NicChannel& nic() { return static_cast<NicChannel&>(link_.channel()); }
  std::uint64_t in(std::uint32_t index) const { return in_[std::size_t{index} * kWordStride]; }
  void kernel_packs(std::uint64_t number) {
    out_[std::size_t{kFirstArrived} * kWordStride] = word_of(number, kForward);
  }
  void kernel_finishes(std::uint64_t number) { out_[std::size_t{kConsumed} * kWordStride] = word_of(number, kForward); }
  void message_lands(std::uint64_t number) {
    const std::vector<char> bytes(kBytes, static_cast<char>(number));
    device_->write_remotely(slots_ + number % 2 * kBytes, bytes.data(), bytes.size());
    nic().arrived.push_back(tag_of(number));
  }
  /// What a kernel sees of message `number`: all its bytes, or not.
  bool kernel_sees(std::uint64_t number) {
    const std::vector<char> bytes(kBytes, static_cast<char>(number));
    return std::memcmp(device_->host_view(slots_ + number % 2 * kBytes), bytes.data(), bytes.size()) == 0;
  }
  void settle() {
    for (int i = 0; i < 3; ++i) link_.advance();
  }

  std::shared_ptr<device::EmulatedDevice> device_ = device::EmulatedDevice::make(1);
  std::unique_ptr<transport::Worker> worker_ =
      transport::loopback::open_worker(Path::verbs, transport::loopback::Exports::nothing);
  std::vector<std::uint64_t> out_ = std::vector<std::uint64_t>(std::size_t{kFirstArrived + 1} * kWordStride);
  std::vector<std::uint64_t> in_ = std::vector<std::uint64_t>(std::size_t{kFirstArrived + 1} * kWordStride);
  StagedLink link_;
  std::byte* slots_ = nullptr;
};

TEST_F(StagedOnGpu, Y06TheWordIsRaisedOnlyWhenTheKernelSeesWhatTheNicWrote) {
  for (std::uint64_t number = 1; number <= 4; ++number) {
    message_lands(number);
    ASSERT_FALSE(kernel_sees(number)) << "the test would prove nothing";
    settle();
    ASSERT_EQ(in(kFirstArrived), word_of(number, kForward));
    ASSERT_TRUE(kernel_sees(number));
    kernel_finishes(number);
    settle();
  }
  EXPECT_EQ(device_->counts().flushes, 4U);
}

TEST_F(StagedOnGpu, AMessageIsPostedFromItsSlotAndNothingIsStaged) {
  kernel_packs(1);
  settle();
  EXPECT_EQ(nic().num_posted, 1U);
  EXPECT_EQ(nic().last_tag, tag_of(1));
  EXPECT_EQ(link_.staged_bytes(), 0U);
}

TEST_F(StagedOnGpu, TheKernelMayPackIntoASlotAgainOnlyWhenThePeerHasConsumedWhatWasThere) {
  kernel_packs(1);
  settle();
  EXPECT_EQ(in(kConsumed), word_of(1, kForward)) << "slot 2 was never used";
  kernel_packs(2);
  settle();
  EXPECT_EQ(nic().num_posted, 2U);
  EXPECT_EQ(in(kConsumed), word_of(1, kForward)) << "the NIC may still read message 1";
  nic().num_consumed_by_peer = 1;
  settle();
  EXPECT_EQ(in(kConsumed), word_of(2, kForward));
}

TEST_F(StagedOnGpu, AMessageIsGivenBackOnceTheKernelHasReadIt) {
  message_lands(1);
  settle();
  EXPECT_EQ(link_.num_received(), 1U);
  EXPECT_EQ(nic().num_released, 0U);
  message_lands(2);
  settle();
  EXPECT_EQ(link_.num_received(), 1U) << "the channel shows its next message when this one is given back";
  kernel_finishes(1);
  settle();
  EXPECT_EQ(nic().num_released, 1U);
  EXPECT_EQ(link_.num_received(), 2U);
  kernel_finishes(2);
  settle();
  EXPECT_EQ(nic().num_released, 2U);
}

TEST_F(StagedOnGpu, AFlushThatFailsEndsTheLink) {
  link_.set_on_gpu(*device_, 5);  // there is none
  message_lands(1);
  settle();
  ASSERT_TRUE(link_.has_failed());
  EXPECT_NE(link_.failure().text().find("flush remote writes to GPU 5"), std::string::npos);
  EXPECT_EQ(in(kFirstArrived), 0U) << "the kernel must not read";
}

}  // namespace
}  // namespace halyard::exchange::gpu
