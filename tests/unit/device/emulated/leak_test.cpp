// What an emulated device leaves behind in its process and in /dev/shm: nothing.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "device/emulated.hpp"
#include "device/emulated/segment.hpp"
#include "unit/device/child_process.hpp"

namespace halyard::device {
namespace {

namespace fs = std::filesystem;

std::ptrdiff_t entries_of(const char* folder) { return std::distance(fs::directory_iterator(folder), {}); }

std::ptrdiff_t names_of(pid_t pid) {
  const std::string prefix = emulated::name_prefix() + std::to_string(pid) + ".";
  std::ptrdiff_t count = 0;
  for (const auto& entry : fs::directory_iterator("/dev/shm"))
    count += entry.path().filename().string().starts_with(prefix) ? 1 : 0;
  return count;
}

void use_everything(EmulatedDevice& device) {
  void* exported = device.allocate(0, 1000);
  device.export_memory(exported);
  device.allocate(1, 1000);
  device.allocate_mapped(1000);
  const Stream stream = device.create_stream(0);
  device.enqueue(stream, [] {}).or_throw();
  device.enqueue({}, [] {}).or_throw();
  device.destroy_stream(device.create_stream(1));
}

TEST(EmulatedLeaks, are_none_after_a_device_is_destroyed_with_everything_in_use) {
  use_everything(*EmulatedDevice::make());  // what is made once per process
  const auto files = entries_of("/proc/self/fd");
  const auto threads = entries_of("/proc/self/task");
  {
    auto device = EmulatedDevice::make();
    use_everything(*device);
    EXPECT_EQ(names_of(getpid()), 1);
  }
  EXPECT_EQ(names_of(getpid()), 0);
  EXPECT_EQ(entries_of("/proc/self/fd"), files);
  // A joined thread's entry goes a moment later.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (entries_of("/proc/self/task") != threads && std::chrono::steady_clock::now() < deadline)
    std::this_thread::yield();
  EXPECT_EQ(entries_of("/proc/self/task"), threads);
}

TEST(EmulatedLeaks, memory_has_no_name_until_it_is_exported_and_loses_it_when_freed) {
  auto device = EmulatedDevice::make();
  void* memory = device->allocate(0, 1000);
  EXPECT_EQ(names_of(getpid()), 0);
  device->export_memory(memory);
  device->export_memory(memory);
  EXPECT_EQ(names_of(getpid()), 1);
  device->deallocate(memory);
  EXPECT_EQ(names_of(getpid()), 0);
}

TEST(EmulatedLeaks, of_a_process_that_crashed_go_when_another_makes_a_device) {
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  test::in_child([&] {
    auto device = EmulatedDevice::make();
    device->export_memory(device->allocate(0, 1000));
    const pid_t pid = getpid();
    _exit(write(pipe_ends[1], &pid, sizeof(pid)) == sizeof(pid) ? 0 : 1);  // before the device is destroyed
    return 0;
  });
  pid_t child = 0;
  ASSERT_EQ(read(pipe_ends[0], &child, sizeof(child)), static_cast<ssize_t>(sizeof(child)));
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  EXPECT_EQ(names_of(child), 1);
  EmulatedDevice::make();
  EXPECT_EQ(names_of(child), 0);
}

}  // namespace
}  // namespace halyard::device
