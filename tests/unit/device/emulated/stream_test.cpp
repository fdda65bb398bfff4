// Streams of the emulated device. Gates instead of sleeps: a stream is held until the test has looked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <future>
#include <stdexcept>
#include <vector>

#include "device/emulated.hpp"
#include "unit/error_text.hpp"

namespace halyard::device {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Holds a stream until opened.
class Gate {
 public:
  Gate(EmulatedDevice& device, Stream stream) {
    device.enqueue(stream, [future = opened_.get_future().share()] { future.wait(); }).or_throw();
  }
  void open() { opened_.set_value(); }

 private:
  std::promise<void> opened_;
};

class EmulatedStream : public ::testing::Test {
 protected:
  std::shared_ptr<EmulatedDevice> device_ = EmulatedDevice::make();
  Stream stream_ = device_->create_stream(0);
  std::vector<int> done_;

  void add(int value) {
    EXPECT_TRUE(device_->enqueue(stream_, [this, value] { done_.push_back(value); }).ok());
  }
  void synchronize() { EXPECT_EQ(device_->synchronize(stream_, 0).text(), ""); }
};

TEST_F(EmulatedStream, runs_work_in_order) {
  for (int i = 0; i < 3; ++i) add(i);
  synchronize();
  EXPECT_THAT(done_, ElementsAre(0, 1, 2));
  EXPECT_EQ(device_->counts().launches, 3u);
  EXPECT_EQ(device_->counts().synchronizes, 1u);
}

TEST_F(EmulatedStream, is_idle_when_its_work_is_done_and_not_before) {
  EXPECT_TRUE(device_->is_idle(stream_, 0));
  Gate gate(*device_, stream_);
  EXPECT_FALSE(device_->is_idle(stream_, 0));
  gate.open();
  synchronize();
  EXPECT_TRUE(device_->is_idle(stream_, 0));
}

TEST_F(EmulatedStream, does_not_wait_for_other_streams) {
  Gate of_default(*device_, {});
  const Stream other = device_->create_stream(0);
  Gate of_other(*device_, other);
  add(1);
  synchronize();
  EXPECT_FALSE(device_->is_idle({}, 0));
  of_default.open();
  of_other.open();
  EXPECT_TRUE(device_->synchronize({}, 0).ok());
  EXPECT_TRUE(device_->synchronize(other, 0).ok());
}

TEST_F(EmulatedStream, begins_work_no_earlier_than_its_delay) {
  device_->set_delay(stream_, 20ms);
  const auto before = std::chrono::steady_clock::now();
  add(1);
  synchronize();
  EXPECT_GE(std::chrono::steady_clock::now() - before, 20ms);
}

TEST_F(EmulatedStream, records_work_while_it_is_captured_and_replays_it_anywhere) {
  EXPECT_FALSE(device_->is_capturing(stream_));
  device_->begin_capture(stream_);
  EXPECT_TRUE(device_->is_capturing(stream_));
  add(1);
  add(2);
  EXPECT_FALSE(device_->synchronize(stream_, 0).ok());
  const auto graph = device_->end_capture(stream_);
  EXPECT_FALSE(device_->is_capturing(stream_));
  synchronize();
  EXPECT_THAT(done_, ElementsAre());
  device_->replay(graph, stream_);
  synchronize();
  const Stream other = device_->create_stream(1);
  device_->replay(graph, other);
  EXPECT_TRUE(device_->synchronize(other, 1).ok());
  EXPECT_THAT(done_, ElementsAre(1, 2, 1, 2));
}

TEST_F(EmulatedStream, is_captured_once_at_a_time_and_never_when_it_is_the_default) {
  EXPECT_THAT(test::error_text(StatusCode::invalid_argument, [&] { device_->begin_capture({}); }),
              HasSubstr("the default stream cannot be captured"));
  EXPECT_THROW(device_->end_capture(stream_), Error);
  device_->begin_capture(stream_);
  EXPECT_THROW(device_->begin_capture(stream_), Error);
  device_->end_capture(stream_);
}

TEST_F(EmulatedStream, belongs_to_one_gpu_and_the_default_streams_to_all) {
  EXPECT_TRUE(device_->check_stream(stream_, 0).ok());
  EXPECT_THAT(device_->check_stream(stream_, 1).text(), HasSubstr("it belongs to GPU 0"));
  for (const std::uintptr_t name : std::array<std::uintptr_t, 3>{0, 1, 2})
    EXPECT_TRUE(device_->check_stream(reinterpret_cast<void*>(name), 1).ok());
  device_->destroy_stream(stream_);
  EXPECT_EQ(device_->check_stream(stream_, 0).code(), StatusCode::invalid_argument);
  EXPECT_EQ(device_->enqueue(stream_, [] {}).code(), StatusCode::invalid_argument);
  EXPECT_EQ(device_->synchronize(stream_, 0).code(), StatusCode::invalid_argument);
}

TEST_F(EmulatedStream, fails_launches_as_scripted) {
  device_->fail_next(DriverCall::launch, 1, "an illegal memory access was encountered");
  const Status status = device_->enqueue(stream_, [] {});
  EXPECT_EQ(status.code(), StatusCode::transport_failed);
  EXPECT_THAT(status.text(), HasSubstr("illegal memory access"));
  add(1);
  synchronize();
  EXPECT_THAT(done_, ElementsAre(1));
}

TEST_F(EmulatedStream, in_order_behind_another_waits_for_what_is_there_and_for_nothing_later) {
  const Stream after = device_->create_stream(0);
  Gate gate(*device_, stream_);
  add(1);
  EXPECT_TRUE(device_->order(stream_, after, 0).ok());
  Gate later(*device_, stream_);
  EXPECT_TRUE(device_->enqueue(after, [this] { done_.push_back(2); }).ok());
  EXPECT_FALSE(device_->is_idle(after, 0));
  gate.open();
  EXPECT_TRUE(device_->synchronize(after, 0).ok());
  EXPECT_THAT(done_, ElementsAre(1, 2));
  EXPECT_FALSE(device_->is_idle(stream_, 0));
  later.open();
  synchronize();
  device_->destroy_stream(after);
}

TEST_F(EmulatedStream, is_not_ordered_with_one_that_is_captured_nor_with_itself) {
  const Stream other = device_->create_stream(0);
  Gate gate(*device_, stream_);
  EXPECT_TRUE(device_->order(stream_, stream_, 0).ok());
  device_->begin_capture(other);
  EXPECT_TRUE(device_->order(stream_, other, 0).ok());
  EXPECT_TRUE(device_->order(other, stream_, 0).ok());
  device_->replay(device_->end_capture(other), other);
  EXPECT_TRUE(device_->synchronize(other, 0).ok()) << "nothing was recorded";
  gate.open();
  synchronize();
  device_->destroy_stream(other);
  EXPECT_THAT(device_->order(other, stream_, 0).text(), HasSubstr("has none like it"));
}

TEST_F(EmulatedStream, keeps_the_first_error_of_its_work) {
  EXPECT_TRUE(device_->enqueue(stream_, [] { throw std::runtime_error("first"); }).ok());
  EXPECT_TRUE(device_->enqueue(stream_, [] { throw std::runtime_error("second"); }).ok());
  EXPECT_EQ(device_->synchronize(stream_, 0).text(), "first");
  EXPECT_EQ(device_->synchronize(stream_, 0).text(), "first");
}

TEST_F(EmulatedStream, destroyed_with_work_left_finishes_it) {
  Gate gate(*device_, stream_);
  add(1);
  device_->destroy_stream(stream_);
  EXPECT_THAT(done_, ElementsAre());
  gate.open();
  device_.reset();
  EXPECT_THAT(done_, ElementsAre(1));
}

TEST_F(EmulatedStream, may_use_memory_until_its_device_is_destroyed) {
  EmulatedDevice* device = device_.get();
  void* memory = device->allocate(0, 10);
  device->set_delay(stream_, 10ms);
  int seen = 0;
  EXPECT_TRUE(device->enqueue(stream_, [=, &seen] { seen = device->host_view(memory) != nullptr ? 1 : 2; }).ok());
  device_.reset();
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace halyard::device
