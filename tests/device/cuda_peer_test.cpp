// GPU memory between two processes, and between GPUs of one process, through the CUDA twin.
#include <gmock/gmock.h>

#include "device/cuda_world.hpp"
#include "unit/device/role.hpp"
#include "unit/error_text.hpp"

namespace halyard::device::test {
namespace {

using halyard::test::error_text;
using ::testing::HasSubstr;

constexpr std::size_t kSlice = std::size_t{1} << 20;

// Field case M04.
TEST(CudaExport, of_a_slice_reaches_that_slice_in_its_own_process) {
  const auto memory = allocated(0, 4 * kSlice);
  for (std::size_t slice = 0; slice < 4; ++slice) {
    std::byte* address = memory.get() + slice * kSlice;
    EXPECT_EQ(cuda().open(cuda().export_memory(address), 0)->data(), address);
  }
}

TEST(CudaExport, of_freed_memory_is_refused) {
  auto memory = allocated(0, kSlice);
  const auto exported = cuda().export_memory(memory.get());
  memory.reset();
  EXPECT_THAT(error_text(StatusCode::not_supported, [&] { cuda().open(exported, 0); }), HasSubstr("freed after"));
}

// Field cases M01 and M03.
TEST(CudaExport, of_what_has_no_ipc_handle_is_refused_with_the_reason) {
  int host = 0;
  EXPECT_THAT(error_text(StatusCode::not_supported, [&] { cuda().export_memory(&host); }), HasSubstr("host memory"));
  void* managed = nullptr;
  must(cudaMallocManaged(&managed, kSlice));
  EXPECT_THAT(error_text(StatusCode::not_supported, [&] { cuda().export_memory(managed); }),
              HasSubstr("managed memory"));
  must(cudaFree(managed));
  void* pooled = nullptr;
  must(cudaMallocAsync(&pooled, kSlice, nullptr));
  EXPECT_THAT(error_text(StatusCode::not_supported, [&] { cuda().export_memory(pooled); }),
              HasSubstr("from a memory pool"));
  must(cudaFreeAsync(pooled, nullptr));
}

TEST(CudaExport, of_another_gpu_of_this_process_is_reached_directly) {
  if (cuda().num_gpus() < 2) GTEST_SKIP() << "needs two GPUs";
  const auto memory = allocated(1, kSlice);
  EXPECT_EQ(cuda().open(cuda().export_memory(memory.get()), 0)->data(), memory.get());
  EXPECT_EQ(cuda().facts_of(memory.get()).ordinal, 1);
  EXPECT_NE(cuda().uuid(0), cuda().uuid(1));
}

/// The owner's side of both tests below: slices that hold 1, 2, 3, 4.
struct Owner {
  std::shared_ptr<std::byte> memory = allocated(0, 4 * kSlice);

  Owner() {
    for (int slice = 0; slice < 4; ++slice) write_int(at(slice), slice + 1);
  }
  std::byte* at(int slice) const { return memory.get() + static_cast<std::size_t>(slice) * kSlice; }
};

/// Opens the third slice on a GPU, reads 3 there and answers 30. Opens it again after it was closed.
void use_as_peer(const std::vector<std::byte>& exported, int ordinal) {
  for (const int expected : {3, 30}) {
    auto mapping = cuda().open(exported, ordinal);
    auto again = cuda().open(exported, ordinal);
    EXPECT_EQ(mapping->data(), again->data());
    EXPECT_EQ(read_int(mapping->data()), expected);
    EXPECT_EQ(read_int(mapping->data() - kSlice), 2);
    write_int(mapping->data(), 30);
    mapping.reset();
    EXPECT_EQ(read_int(again->data()), 30) << "closed while it was in use";
  }
}

TEST(CudaPeer, of_another_process_on_the_same_gpu_sees_the_bytes_and_answers) {
  const Owner owner;
  EXPECT_EQ(halyard::test::run_role("CudaPeer.role_on_the_first_gpu", cuda().export_memory(owner.at(2))), 0);
  EXPECT_EQ(read_int(owner.at(2)), 30);
}

TEST(CudaPeer, role_on_the_first_gpu) {
  if (const auto exported = halyard::test::role_argument()) use_as_peer(*exported, 0);
}

TEST(CudaPeer, of_another_process_on_another_gpu_sees_the_bytes_and_answers) {
  if (cuda().num_gpus() < 2) GTEST_SKIP() << "needs two GPUs";
  const Owner owner;
  EXPECT_EQ(halyard::test::run_role("CudaPeer.role_on_the_second_gpu", cuda().export_memory(owner.at(2))), 0);
  EXPECT_EQ(read_int(owner.at(2)), 30);
}

TEST(CudaPeer, role_on_the_second_gpu) {
  if (const auto exported = halyard::test::role_argument()) use_as_peer(*exported, 1);
}

// Field case I01: the peer sees only the GPU that the owner calls 1, and calls it 0.
TEST(CudaPeer, that_sees_another_gpu_only_still_maps_the_owners) {
  if (cuda().num_gpus() < 2) GTEST_SKIP() << "needs two GPUs";
  const Owner owner;
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  const int code = halyard::test::run_role("CudaPeer.role_on_the_first_gpu", cuda().export_memory(owner.at(2)));
  unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(code, 0);
  EXPECT_EQ(read_int(owner.at(2)), 30);
}

TEST(CudaPeer, is_told_when_the_owner_has_freed_the_memory) {
  auto owner = std::make_unique<Owner>();
  const auto exported = cuda().export_memory(owner->at(2));
  owner.reset();
  EXPECT_EQ(halyard::test::run_role("CudaPeer.role_of_the_one_that_comes_too_late", exported), 0);
}

TEST(CudaPeer, role_of_the_one_that_comes_too_late) {
  const auto exported = halyard::test::role_argument();
  if (!exported) return;
  EXPECT_THAT(error_text(StatusCode::not_supported, [&] { cuda().open(*exported, 0); }),
              HasSubstr("cudaIpcOpenMemHandle"));
}

}  // namespace
}  // namespace halyard::device::test
