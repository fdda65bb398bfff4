// StreamWaits: work that is given to a stream after a wait runs once every word has come, and not before; a wait that
// lasts too long is let go.
#include "exchange/gpu/waits/stream_waits.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "pack/device/tables.hpp"
#include "support/gpu/device_under_test.hpp"

namespace halyard::test {
namespace {

using exchange::gpu::StreamWaits;

class StreamThatWaits : public testing::Test {
 protected:
  static constexpr double kNever = 0;
  static constexpr auto kAWhile = std::chrono::milliseconds(30);

  StreamThatWaits() {
    for (std::uint64_t*& word : words_) word = static_cast<std::uint64_t*>(device_->allocate(0, sizeof(std::uint64_t)));
  }
  ~StreamThatWaits() override {
    device_->destroy_stream(stream_);
    for (std::uint64_t* word : words_) device_->deallocate(word);
  }

  StreamWaits waits(double deadline_s) { return {device_, 0, {words_[0], words_[1]}, deadline_s}; }
  void store(int word, std::uint64_t value) { device_->copy(words_[word], &value, sizeof(value)); }
  bool is_idle_after_a_while() {
    std::this_thread::sleep_for(kAWhile);
    return device_->is_idle(stream_, 0);
  }

  std::shared_ptr<device::Device> device_ = device_under_test();
  Stream stream_ = device_->create_stream(0);
  std::uint64_t* words_[2] = {};
};

TEST_F(StreamThatWaits, GoesOnOnceAllNeighborsHaveSentThisExchangeAndNotBefore) {
  StreamWaits waits = this->waits(kNever);
  ASSERT_TRUE(waits.begin(stream_, 3).ok());
  ASSERT_TRUE(waits.end(stream_, 3).ok());
  store(0, pack::device::word_of(3, 7));
  EXPECT_FALSE(is_idle_after_a_while()) << "one neighbor has sent nothing";
  store(1, pack::device::word_of(2, 7));
  EXPECT_FALSE(is_idle_after_a_while()) << "that was the exchange before";
  store(1, pack::device::word_of(4, 7));
  EXPECT_TRUE(device_->synchronize(stream_, 0).ok());
}

TEST_F(StreamThatWaits, IsLetGoWhenItHasWaitedTooLong) {
  StreamWaits waits = this->waits(0.05);
  EXPECT_FALSE(waits.advance()) << "nothing waits";
  ASSERT_TRUE(waits.begin(stream_, 1).ok());
  ASSERT_TRUE(waits.end(stream_, 1).ok());
  for (int look = 0; look < 500 && !device_->is_idle(stream_, 0); ++look) {
    waits.advance();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(device_->is_idle(stream_, 0));
}

TEST_F(StreamThatWaits, IsNotLetGoBeforeItWaits) {
  StreamWaits waits = this->waits(0.05);
  for (int look = 0; look < 2; ++look) {
    waits.advance();
    std::this_thread::sleep_for(2 * kAWhile);
  }
  ASSERT_TRUE(waits.begin(stream_, 1).ok());
  waits.advance();
  EXPECT_FALSE(is_idle_after_a_while());
  for (int word = 0; word < 2; ++word) store(word, pack::device::kSentGaveUp);
  EXPECT_TRUE(device_->synchronize(stream_, 0).ok()) << "a neighbor that gave up lets the stream go too";
}

}  // namespace
}  // namespace halyard::test
