// Field case Y06: a NIC's completion reaches the host before the bytes reach the GPU. Here they come with the flush,
// and not before.
#include <gtest/gtest.h>

#include "device/emulated.hpp"

namespace halyard::device {
namespace {

class Y06 : public testing::Test {
 protected:
  int* allocate(bool delays, int ordinal = 0) {
    return static_cast<int*>(device->allocate_as(
        {.ordinal = ordinal, .why_not_exportable = {}, .delays_remote_writes = delays}, sizeof(int)));
  }
  /// What a kernel in a stream sees.
  int seen(int* memory) {
    int value = -1;
    EXPECT_TRUE(device->enqueue({}, [&] { value = *reinterpret_cast<int*>(device->host_view(memory)); }).ok());
    EXPECT_TRUE(device->synchronize({}, 0).ok());
    return value;
  }
  void write(int* memory, int value) { device->write_remotely(memory, &value, sizeof(value)); }

  std::shared_ptr<EmulatedDevice> device = EmulatedDevice::make(2);
};

TEST_F(Y06, AKernelSeesWhatANicWroteAfterTheFlushAndNotBefore) {
  int* memory = allocate(true);
  write(memory, 7);
  EXPECT_EQ(seen(memory), 0);
  EXPECT_TRUE(device->flush_remote_writes(0).ok());
  EXPECT_EQ(seen(memory), 7);
  EXPECT_EQ(device->counts().flushes, 1U);
}

TEST_F(Y06, TheLastOfSeveralWritesStays) {
  int* memory = allocate(true);
  write(memory, 7);
  write(memory, 8);
  EXPECT_TRUE(device->flush_remote_writes(0).ok());
  EXPECT_EQ(seen(memory), 8);
}

TEST_F(Y06, AFlushIsOfOneGpu) {
  int* memory = allocate(true, 1);
  write(memory, 7);
  EXPECT_TRUE(device->flush_remote_writes(0).ok());
  EXPECT_EQ(seen(memory), 0);
  EXPECT_TRUE(device->flush_remote_writes(1).ok());
  EXPECT_EQ(seen(memory), 7);
  EXPECT_EQ(device->flush_remote_writes(2).code(), StatusCode::invalid_argument);
}

TEST_F(Y06, MemoryThatOrdersWritesItselfNeedsNoFlush) {
  int* memory = allocate(false);
  write(memory, 7);
  EXPECT_EQ(seen(memory), 7);
}

TEST_F(Y06, WritesToFreedMemoryAreForgotten) {
  int* memory = allocate(true);
  write(memory, 7);
  device->deallocate(memory);
  auto* again = static_cast<int*>(device->allocate_as({.why_not_exportable = {}, .reuses_address = true}, sizeof(int)));
  EXPECT_TRUE(device->flush_remote_writes(0).ok());
  EXPECT_EQ(seen(again), 0);
}

}  // namespace
}  // namespace halyard::device
