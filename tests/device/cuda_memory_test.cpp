// Memory that the CUDA twin allocates, pins and copies.
#include <gmock/gmock.h>

#include <algorithm>

#include "device/cuda_world.hpp"
#include "unit/device/role.hpp"
#include "unit/error_text.hpp"

namespace halyard::device::test {
namespace {

using halyard::test::error_text;
using ::testing::HasSubstr;

TEST(CudaMemory, is_zeroed_and_made_of_whole_blocks) {
  std::vector<std::byte> seen(100, std::byte{1});
  for (int i = 0; i < 3; ++i) {  // the second and third lie where something was written before
    const auto memory = allocated(0, 100);
    EXPECT_EQ(cuda().facts_of(memory.get()).bytes, std::size_t{2} << 20);
    cuda().copy(seen.data(), memory.get(), seen.size());
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](std::byte b) { return b == std::byte{0}; }));
    write_int(memory.get(), 77);
  }
}

TEST(CudaMemory, is_copied_between_all_kinds) {
  const auto device = allocated(0, 100);
  auto* mapped = static_cast<int*>(cuda().allocate_mapped(100));
  EXPECT_EQ(*mapped, 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mapped) % 256, 0u);
  EXPECT_EQ(cuda().facts_of(mapped).kind, MemoryKind::pinned);
  const int value = 5;
  cuda().copy(device.get(), &value, sizeof(value));
  cuda().copy(mapped, device.get(), sizeof(value));
  EXPECT_EQ(*mapped, 5);
  int back = 0;
  cuda().copy(&back, mapped, sizeof(back));
  EXPECT_EQ(back, 5);
  cuda().deallocate_mapped(mapped);
}

TEST(CudaMemory, of_the_host_is_pinned_at_its_own_address) {
  std::vector<char> plain(1 << 20);
  auto pin = cuda().pin(plain.data(), plain.size());
  EXPECT_EQ(pin.get(), plain.data());
  EXPECT_EQ(cuda().facts_of(plain.data() + 100).kind, MemoryKind::pinned);
  EXPECT_THAT(error_text(StatusCode::invalid_argument, [&] { cuda().pin(plain.data(), plain.size()); }),
              HasSubstr("pin 1048576 bytes"));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the refusal must not be found by a later launch check";
  pin.reset();
  EXPECT_EQ(cuda().facts_of(plain.data() + 100).kind, MemoryKind::host);
}

TEST(CudaMemory, that_no_gpu_could_have_is_refused) {
  EXPECT_THAT(error_text(StatusCode::out_of_resources, [] { cuda().allocate(0, std::size_t{1} << 46); }),
              HasSubstr("out of memory"));
  EXPECT_THAT(error_text(StatusCode::invalid_argument, [] { cuda().allocate(cuda().num_gpus(), 1); }),
              HasSubstr("CUDA_VISIBLE_DEVICES"));
}

TEST(CudaMemory, that_outlives_its_context_is_let_go_in_silence) {
  EXPECT_EQ(halyard::test::run_role("CudaMemory.role_of_the_one_that_resets", {}), 0);
}

TEST(CudaMemory, role_of_the_one_that_resets) {
  if (!halyard::test::role_argument()) return;
  void* memory = cuda().allocate(0, 100);
  void* mapped = cuda().allocate_mapped(100);
  std::vector<char> plain(1 << 20);
  auto pin = cuda().pin(plain.data(), plain.size());
  const Stream stream = cuda().create_stream(0);
  must(cudaDeviceReset());
  EXPECT_EQ(static_cast<volatile char*>(mapped)[99], 0) << "threads of ours may still read it";
  char byte = 0;
  EXPECT_THAT(error_text(StatusCode::transport_failed, [&] { cuda().copy(&byte, plain.data(), 1); }),
              HasSubstr("destroyed"));
  EXPECT_FALSE(cuda().synchronize(stream, 0).ok());
  cuda().destroy_stream(stream);
  cuda().deallocate(memory);
  cuda().deallocate_mapped(mapped);
  pin.reset();
}

TEST(CudaMemory, that_outlives_the_driver_is_let_go_in_silence) {
  EXPECT_EQ(halyard::test::run_role("CudaMemory.role_of_the_one_that_ends", {}), 0);
}

struct FreedAtExit {
  void* memory;
  void* mapped;
  std::shared_ptr<void> pin;
  ~FreedAtExit() {
    cuda().deallocate(memory);
    cuda().deallocate_mapped(mapped);
    pin.reset();
  }
};

TEST(CudaMemory, role_of_the_one_that_ends) {
  if (!halyard::test::role_argument()) return;
  static std::vector<char> plain(1 << 20);
  static const FreedAtExit at_exit{cuda().allocate(0, 100), cuda().allocate_mapped(100),
                                   cuda().pin(plain.data(), plain.size())};
}

}  // namespace
}  // namespace halyard::device::test
