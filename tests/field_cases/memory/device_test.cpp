// R08, T02: GPU memory that is older than the library, and GPU memory that ends before it.
#include <gtest/gtest.h>

#include "device/emulated.hpp"
#include "memory/cache.hpp"
#include "support/memory/counting_registrar.hpp"

namespace halyard::test {
namespace {

using memory::Cache;
using memory::Lease;
using memory::MemoryKind;

constexpr std::size_t kBytes = 64 << 10;

TEST(R08, MemoryOlderThanTheCacheIsKnownForWhatItIs) {
  const auto gpu = device::EmulatedDevice::make(1);
  void* on_gpu = gpu->allocate(0, kBytes);
  void* managed = gpu->allocate_as({.kind = MemoryKind::managed, .why_not_exportable = {}}, kBytes);
  std::vector<std::byte> on_host(kBytes);

  CountingRegistrar registrar;
  Cache cache(registrar, {}, gpu.get());
  for (void* memory : {on_gpu, managed, static_cast<void*>(on_host.data())}) (void)cache.acquire(memory, kBytes);
  EXPECT_EQ(registrar.kinds, (std::vector{MemoryKind::device, MemoryKind::managed, MemoryKind::host}));
}

TEST(T02, GpuMemoryThatIsGoneBeforeItsLeasesEndsWithoutAWord) {
  const auto gpu = device::EmulatedDevice::make(1);
  CountingRegistrar registrar;
  {
    Cache cache(registrar, {}, gpu.get());
    void* leased = gpu->allocate(0, kBytes);
    void* idle = gpu->allocate(0, kBytes);
    const Lease lease = cache.acquire(leased, kBytes);
    { const Lease ended = cache.acquire(idle, kBytes); }
    gpu->deallocate(leased);  // what cudaDeviceReset does to all memory
    gpu->deallocate(idle);
    std::vector<std::byte> on_host(kBytes);
    EXPECT_NO_THROW((void)cache.acquire(on_host.data(), kBytes))
        << "the driver is asked of memory that it does not know";
    EXPECT_EQ(cache.counters().stale, 1U) << "the idle one";
  }
  EXPECT_EQ(registrar.num_regions, 0U);
}

}  // namespace
}  // namespace halyard::test
