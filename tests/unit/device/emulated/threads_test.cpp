// The emulated device used from many threads at once. Run under ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "device/emulated.hpp"

namespace halyard::device {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 50;

template <class Step>
void in_threads(Step step) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(step, i);
  for (auto& thread : threads) thread.join();
}

TEST(EmulatedThreads, allocate_look_up_export_and_free_at_once) {
  auto device = EmulatedDevice::make();
  in_threads([&](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      void* memory = device->allocate(thread % 2, 1000);
      device->copy(memory, &round, sizeof(round));
      EXPECT_EQ(std::memcmp(device->host_view(memory), &round, sizeof(round)), 0);
      EXPECT_EQ(device->facts_of(memory).ordinal, thread % 2);
      EXPECT_EQ(device->open(device->export_memory(memory), 0)->data(), memory);
      device->deallocate(memory);
    }
  });
  EXPECT_EQ(device->counts().allocations, std::uint64_t{kThreads} * kRounds);
  EXPECT_EQ(device->counts().deallocations, std::uint64_t{kThreads} * kRounds);
}

TEST(EmulatedThreads, share_a_stream_and_synchronize_it_at_once) {
  auto device = EmulatedDevice::make();
  int sum = 0;  // only the stream's thread touches it
  in_threads([&](int) {
    for (int round = 0; round < kRounds; ++round) {
      EXPECT_TRUE(device->enqueue({}, [&sum] { ++sum; }).ok());
      if (round % 10 == 0) {
        EXPECT_TRUE(device->synchronize({}, 0).ok());
      }
      (void)device->is_idle({}, 0);
    }
  });
  EXPECT_TRUE(device->synchronize({}, 0).ok());
  EXPECT_EQ(sum, kThreads * kRounds);
}

TEST(EmulatedThreads, make_and_destroy_streams_at_once) {
  auto device = EmulatedDevice::make();
  std::atomic<int> sum{0};
  in_threads([&](int thread) {
    for (int round = 0; round < kRounds; ++round) {
      const Stream stream = device->create_stream(thread % 2);
      EXPECT_TRUE(device->enqueue(stream, [&sum] { ++sum; }).ok());
      device->destroy_stream(stream);
    }
  });
  device.reset();
  EXPECT_EQ(sum, kThreads * kRounds);
}

TEST(EmulatedThreads, hand_bytes_from_stream_to_host_by_waiting_until_it_is_idle) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate(0, sizeof(int));
  const int value = 5;
  EXPECT_TRUE(device->enqueue({}, [&] { std::memcpy(device->host_view(memory), &value, sizeof(value)); }).ok());
  while (!device->is_idle({}, 0)) std::this_thread::yield();
  int seen = 0;
  device->copy(&seen, memory, sizeof(seen));
  EXPECT_EQ(seen, value);
}

}  // namespace
}  // namespace halyard::device
