// Cache: memory of the emulated device, which is told apart by the driver's buffer id.
#include <gtest/gtest.h>

#include "device/emulated.hpp"
#include "memory/cache.hpp"
#include "support/memory/counting_registrar.hpp"
#include "support/memory/fake_events.hpp"
#include "unit/error_text.hpp"

namespace halyard::memory {
namespace {

constexpr std::size_t kBytes = 1 << 16;

class CacheDevice : public testing::Test {
 protected:
  std::byte* allocate(device::EmulatedMemory how = {}) {
    return static_cast<std::byte*>(gpu->allocate_as(how, kBytes));
  }
  device::EmulatedMemory again() { return {.why_not_exportable = {}, .reuses_address = true}; }

  std::shared_ptr<device::EmulatedDevice> gpu = device::EmulatedDevice::make(1);
  std::shared_ptr<test::FakeEvents> events = std::make_shared<test::FakeEvents>();
  test::CountingRegistrar registrar;
  Cache cache{registrar, {}, gpu.get(), events};
};

TEST_F(CacheDevice, RegistersTheWholeAllocationForAnyPartOfIt) {
  std::byte* memory = allocate();
  const Lease first = cache.acquire(memory + 1000, 24);
  const Lease second = cache.acquire(memory + kBytes - 1, 1);
  EXPECT_EQ(first.base(), memory);
  EXPECT_EQ(first.bytes(), kBytes);
  EXPECT_EQ(registrar.num_registered, 1U);
  EXPECT_EQ(registrar.kinds.back(), MemoryKind::device);
  EXPECT_EQ(events->num_watched, 0) << "the driver is asked, not the system";
}

TEST_F(CacheDevice, AnotherAllocationAtTheSameAddressIsRegisteredAnew) {
  std::byte* before = allocate();
  { const Lease lease = cache.acquire(before, kBytes); }
  gpu->deallocate(before);
  std::byte* after = allocate(again());
  ASSERT_EQ(after, before);
  const Lease lease = cache.acquire(after, kBytes);
  EXPECT_EQ(registrar.num_registered, 2U);
  EXPECT_EQ(registrar.num_regions, 1U);
  EXPECT_EQ(cache.counters().stale, 1U);
  EXPECT_EQ(cache.counters().hits, 0U);
}

TEST_F(CacheDevice, FreedMemoryIsLetGoWhenOtherMemoryIsRegistered) {
  std::byte* gone = allocate();
  { const Lease lease = cache.acquire(gone, kBytes); }
  gpu->deallocate(gone);
  const Lease other = cache.acquire(allocate(), kBytes);
  EXPECT_EQ(registrar.num_regions, 1U);
  EXPECT_EQ(cache.counters().stale, 1U);
}

TEST_F(CacheDevice, ManagedAndPinnedMemoryAreToldApartByTheDriver) {
  const Lease managed = cache.acquire(allocate({.kind = MemoryKind::managed, .why_not_exportable = {}}), 8);
  EXPECT_EQ(managed.bytes(), kBytes);
  EXPECT_EQ(registrar.kinds.back(), MemoryKind::managed);
  void* mapped = gpu->allocate_mapped(64);
  const Lease pinned = cache.acquire(mapped, 64);
  EXPECT_EQ(registrar.kinds.back(), MemoryKind::pinned);
  EXPECT_EQ(events->num_watched, 1);
}

TEST_F(CacheDevice, RefusesARangeThatLeavesItsAllocation) {
  std::byte* memory = allocate();
  const std::string text =
      test::error_text(StatusCode::invalid_argument, [&] { (void)cache.acquire(memory + 8, kBytes); });
  EXPECT_NE(text.find("expected device memory inside one allocation"), std::string::npos) << text;
  EXPECT_EQ(registrar.num_registered, 0U);
}

TEST_F(CacheDevice, RefusesGpuMemoryWhereThereIsNoGpuAndFreedMemoryWhereThereIs) {
  Cache without(registrar, {}, nullptr, events);
  std::byte* memory = allocate();
  EXPECT_NE(
      test::error_text(StatusCode::invalid_argument, [&] { (void)without.acquire(memory, 8, MemoryKind::device); })
          .find("this process has no GPU"),
      std::string::npos);
  gpu->deallocate(memory);
  EXPECT_THROW((void)cache.acquire(memory, 8, MemoryKind::device), Error);
}

}  // namespace
}  // namespace halyard::memory
