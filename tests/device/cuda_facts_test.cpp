// What the CUDA twin says of memory of every kind, however it was allocated.
#include <gmock/gmock.h>
#include <link.h>

#include <set>
#include <string>
#include <thread>

#include "device/cuda_world.hpp"

namespace halyard::device::test {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kBytes = std::size_t{4} << 20;

TEST(CudaFacts, of_cudaMalloc_hold_at_every_address_of_it) {
  void* memory = nullptr;
  must(cudaMalloc(&memory, kBytes));
  const MemoryFacts facts = cuda().facts_of(bytes_at(memory) + kBytes - 1);
  EXPECT_EQ(facts.kind, MemoryKind::device);
  EXPECT_EQ(facts.ordinal, 0);
  EXPECT_EQ(facts.base, reinterpret_cast<std::uintptr_t>(memory));
  EXPECT_EQ(facts.bytes, kBytes);
  EXPECT_NE(facts.buffer_id, 0u);
  EXPECT_EQ(facts.buffer_id, cuda().facts_of(memory).buffer_id);
  EXPECT_EQ(facts.why_not_exportable, "");
  must(cudaFree(memory));
  EXPECT_EQ(cuda().facts_of(memory).kind, MemoryKind::host);  // unknown to the driver
}

// Field case R01.
TEST(CudaFacts, have_another_id_when_an_address_is_used_again) {
  std::set<std::uint64_t> ids;
  std::set<void*> addresses;
  for (int cycle = 0; cycle < 100; ++cycle) {
    void* memory = nullptr;
    must(cudaMalloc(&memory, kBytes));
    addresses.insert(memory);
    EXPECT_TRUE(ids.insert(cuda().facts_of(memory).buffer_id).second);
    must(cudaFree(memory));
  }
  EXPECT_LT(addresses.size(), 100u) << "no address was used again: this run proves nothing";
}

// Field case M01.
TEST(CudaFacts, of_pool_memory_say_that_it_cannot_be_exported) {
  void* memory = nullptr;
  must(cudaMallocAsync(&memory, kBytes, nullptr));
  must(cudaStreamSynchronize(nullptr));
  const MemoryFacts facts = cuda().facts_of(memory);
  EXPECT_EQ(facts.kind, MemoryKind::device);
  EXPECT_EQ(facts.ordinal, 0);
  EXPECT_EQ(facts.base, reinterpret_cast<std::uintptr_t>(memory));
  EXPECT_NE(facts.buffer_id, 0u);
  EXPECT_THAT(facts.why_not_exportable, HasSubstr("from a memory pool"));
  must(cudaFreeAsync(memory, nullptr));
}

// Field case M03.
TEST(CudaFacts, of_managed_memory_say_that_it_cannot_be_exported) {
  void* memory = nullptr;
  must(cudaMallocManaged(&memory, kBytes));
  const MemoryFacts facts = cuda().facts_of(bytes_at(memory) + 5);
  EXPECT_EQ(facts.kind, MemoryKind::managed);
  EXPECT_EQ(facts.base, reinterpret_cast<std::uintptr_t>(memory));
  EXPECT_EQ(facts.bytes, kBytes);
  EXPECT_NE(facts.buffer_id, 0u);
  EXPECT_EQ(facts.why_not_exportable, "managed memory");
  must(cudaFree(memory));
}

/// Physical memory mapped at an address of its own, as large allocators of applications do it.
class VirtualMemory {
 public:
  explicit VirtualMemory(CUmemAllocationHandleType handles) {
    CUmemAllocationProp wish{};
    wish.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    wish.requestedHandleTypes = handles;
    wish.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    must(driver_function<decltype(&cuMemCreate)>("cuMemCreate")(&memory_, kBytes, &wish, 0));
    must(driver_function<decltype(&cuMemAddressReserve)>("cuMemAddressReserve")(&address_, kBytes, 0, 0, 0));
    must(driver_function<decltype(&cuMemMap)>("cuMemMap")(address_, kBytes, 0, memory_, 0));
    CUmemAccessDesc access{};
    access.location = wish.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    must(driver_function<decltype(&cuMemSetAccess)>("cuMemSetAccess")(address_, kBytes, &access, 1));
  }
  ~VirtualMemory() {
    must(driver_function<decltype(&cuMemUnmap)>("cuMemUnmap")(address_, kBytes));
    must(driver_function<decltype(&cuMemAddressFree)>("cuMemAddressFree")(address_, kBytes));
    must(driver_function<decltype(&cuMemRelease)>("cuMemRelease")(memory_));
  }
  void* get() const { return reinterpret_cast<void*>(address_); }

 private:
  CUmemGenericAllocationHandle memory_ = 0;
  CUdeviceptr address_ = 0;
};

TEST(CudaFacts, of_virtual_memory_say_that_it_cannot_be_exported) {
  must(cudaFree(nullptr));  // a context for this thread, which cuMemCreate does not make
  for (const auto handles : {CU_MEM_HANDLE_TYPE_NONE, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR}) {
    const VirtualMemory memory(handles);
    const MemoryFacts facts = cuda().facts_of(memory.get());
    EXPECT_EQ(facts.kind, MemoryKind::device);
    EXPECT_EQ(facts.ordinal, 0);
    EXPECT_EQ(facts.base, reinterpret_cast<std::uintptr_t>(memory.get()));
    EXPECT_THAT(facts.why_not_exportable, HasSubstr("virtual memory (cuMemCreate)"));
    if (handles != CU_MEM_HANDLE_TYPE_NONE) {
      EXPECT_THAT(facts.why_not_exportable, HasSubstr("file-descriptor"));
    }
    RecordProperty("buffer_id", std::to_string(facts.buffer_id));
  }
}

TEST(CudaFacts, tell_pinned_and_plain_host_memory_apart) {
  std::vector<char> plain(kBytes);
  EXPECT_EQ(cuda().facts_of(plain.data()).kind, MemoryKind::host);
  EXPECT_EQ(cuda().facts_of(plain.data()).ordinal, -1);
  must(cudaHostRegister(plain.data(), kBytes, 0));
  EXPECT_EQ(cuda().facts_of(plain.data() + kBytes - 1).kind, MemoryKind::pinned);
  must(cudaHostUnregister(plain.data()));
  EXPECT_EQ(cuda().facts_of(plain.data()).kind, MemoryKind::host);
  void* pinned = nullptr;
  must(cudaHostAlloc(&pinned, kBytes, 0));
  EXPECT_EQ(cuda().facts_of(pinned).kind, MemoryKind::pinned);
  EXPECT_EQ(cuda().facts_of(pinned).ordinal, -1);
  must(cudaFreeHost(pinned));
}

TEST(CudaFacts, are_the_same_for_a_thread_without_a_context_and_leave_it_without) {
  const auto memory = allocated(0, kBytes);
  CUcontext context = nullptr;
  MemoryFacts facts;
  std::thread([&] {
    facts = cuda().facts_of(memory.get());
    cuda().deallocate(cuda().allocate(0, 1));
    must(driver_function<decltype(&cuCtxGetCurrent)>("cuCtxGetCurrent")(&context));
  }).join();
  EXPECT_EQ(facts.kind, MemoryKind::device);
  EXPECT_EQ(facts.bytes, kBytes);
  EXPECT_EQ(context, nullptr);
}

TEST(CudaGpus, have_a_name_a_uuid_and_multiprocessors) {
  EXPECT_EQ(cuda().kind(), "cuda");
  EXPECT_NE(cuda().uuid(0), Uuid{});
  EXPECT_THAT(cuda().describe(0), HasSubstr("GPU-"));
  EXPECT_GT(cuda().num_multiprocessors(0), 0);
  EXPECT_EQ(cuda().current_gpu(), 0);
  EXPECT_THROW((void)cuda().uuid(cuda().num_gpus()), Error);
}

// Field case R08: a static runtime in the program and one in the library must see the same memory.
TEST(CudaRuntime, is_the_static_one) {
  std::string found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* text) {
        if (std::strstr(info->dlpi_name, "libcudart") != nullptr) *static_cast<std::string*>(text) = info->dlpi_name;
        return 0;
      },
      &found);
  EXPECT_EQ(found, "");
}

}  // namespace
}  // namespace halyard::device::test
