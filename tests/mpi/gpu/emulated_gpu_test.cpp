// EmulatedGpu, what applications get of the emulated device: its memory, its streams, and where it is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halyard/emulated.hpp"
#include "mpi/ranks.hpp"

namespace halyard::test {
namespace {

Options on(const char* device) {
  Options options;
  options.device = device;
  return options;
}

TEST(EmulatedGpu, WorkOfAStreamSeesMemoryThatTheHostCannotTouch) {
  const Context context(MPI_COMM_WORLD, on("emulated"));
  EmulatedGpu gpu(context);
  const Stream stream = gpu.create_stream(std::chrono::milliseconds(5));
  auto* memory = static_cast<int*>(gpu.allocate(2 * sizeof(int)));
  const int seven = 7;
  gpu.copy(memory, &seven, sizeof(seven));
  gpu.enqueue(stream, [view = static_cast<int*>(gpu.host_view(memory))] { view[1] = 6 * view[0]; });
  int seen[2] = {-1, -1};
  gpu.copy(seen, memory, sizeof(seen));
  EXPECT_EQ(seen[1], 0) << "nobody waited for the stream";
  gpu.synchronize(stream);
  gpu.copy(seen, memory, sizeof(seen));
  EXPECT_EQ(seen[1], 42);
  EXPECT_EQ(gpu.host_view(&seven), &seven);
  EXPECT_DEATH(*static_cast<volatile int*>(memory) = 1, "");
  gpu.destroy_stream(stream);
  gpu.deallocate(memory);
}

TEST(EmulatedGpu, WhatWorkThrowsIsSaidByWhoWaits) {
  const Context context(MPI_COMM_WORLD, on("emulated"));
  EmulatedGpu gpu(context);
  const Stream stream = gpu.create_stream();
  gpu.enqueue(stream, [] { throw std::runtime_error("the kernel fell over"); });
  try {
    gpu.synchronize(stream);
    ADD_FAILURE() << "nothing was said";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("the kernel fell over"));
  }
  gpu.destroy_stream(stream);
}

TEST(EmulatedGpu, IsRefusedByAContextOfAnotherDevice) {
  const Context context(MPI_COMM_WORLD, on("none"));
  try {
    const EmulatedGpu gpu(context);
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.status().code(), StatusCode::not_supported);
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("no device"), testing::HasSubstr("HALYARD_DEVICE")));
  }
}

}  // namespace
}  // namespace halyard::test
