// R01, R02: memory goes and other memory comes at the same address; what a NIC sends is the new bytes.
#include <gtest/gtest.h>

#include <cstring>

#include "device/emulated.hpp"
#include "memory/cache.hpp"
#include "support/memory/nic.hpp"
#include "support/memory/pages.hpp"

namespace halyard::test {
namespace {

using memory::Cache;
using memory::Lease;
using memory::MemoryKind;

constexpr std::size_t kCycles = 1000;
constexpr std::size_t kBytes = 64 << 10;

/// Word i of cycle c is code(c, i): a wrong word names its origin.
std::uint64_t code(std::size_t cycle, std::size_t word) { return cycle * 1'000'000 + word; }

std::vector<std::uint64_t> coded(std::size_t cycle, std::size_t bytes) {
  std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = code(cycle, i);
  return words;
}

std::size_t num_wrong_bytes(const Lease& lease, const std::byte* data, const std::vector<std::uint64_t>& expected) {
  const std::vector<std::byte> sent = lease.as<NicRegistration>().sent();
  const auto first = static_cast<std::size_t>(data - lease.base());
  const auto* bytes = reinterpret_cast<const std::byte*>(expected.data());
  if (std::memcmp(sent.data() + first, bytes, expected.size() * sizeof(std::uint64_t)) == 0) return 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.size() * sizeof(std::uint64_t); ++i)
    wrong += sent[first + i] != bytes[i] ? 1U : 0U;
  return wrong;
}

TEST(R01, AThousandAllocationsAtOneAddressOfAGpuSendTheirOwnBytes) {
  const auto gpu = device::EmulatedDevice::make(1);
  Nic nic(gpu.get());
  Cache cache(nic, {}, gpu.get());
  std::size_t wrong = 0, moved = 0;
  void* address = nullptr;
  for (std::size_t cycle = 0; cycle < kCycles; ++cycle) {
    void* memory = gpu->allocate_as({.why_not_exportable = {}, .reuses_address = address != nullptr}, kBytes);
    moved += address != nullptr && memory != address ? 1 : 0;
    address = memory;
    const auto words = coded(cycle, kBytes);
    gpu->copy(memory, words.data(), kBytes);
    {
      const Lease lease = cache.acquire(memory, kBytes);
      const Lease shared = cache.acquire(memory, kBytes);  // a hit on live memory must be right as well
      wrong += num_wrong_bytes(shared, static_cast<std::byte*>(memory), words);
    }
    gpu->deallocate(memory);
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(moved, 0U) << "the address must repeat, else this shows nothing";
  EXPECT_EQ(cache.counters().stale, kCycles - 1);
  EXPECT_EQ(cache.counters().hits, kCycles);
}

/// Cycles of map, fill, send, unmap at one address, by functions of the caller.
struct HostCycles {
  void* (*map)(void* address, std::size_t bytes);
  void (*unmap)(void* address, std::size_t bytes);
};

void* map_by_library(void* address, std::size_t bytes) {
  const int fixed = address == nullptr ? 0 : MAP_FIXED_NOREPLACE;
  return mmap(address, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0);
}

void* map_by_system_call(void* address, std::size_t bytes) {
  const int fixed = address == nullptr ? 0 : MAP_FIXED_NOREPLACE;
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, address, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0));
}

void unmap_by_library(void* address, std::size_t bytes) { munmap(address, bytes); }
void unmap_by_system_call(void* address, std::size_t bytes) { syscall(SYS_munmap, address, bytes); }

void expect_right_bytes(HostCycles cycles, std::size_t count, std::size_t bytes, Cache& cache) {
  std::size_t wrong = 0;
  void* address = nullptr;
  for (std::size_t cycle = 0; cycle < count; ++cycle) {
    void* memory = cycles.map(address, bytes);
    ASSERT_TRUE(memory != MAP_FAILED && (address == nullptr || memory == address));
    address = memory;
    const auto words = coded(cycle, bytes);
    std::memcpy(memory, words.data(), bytes);
    { const Lease lease = cache.acquire(memory, bytes); }
    const Lease again = cache.acquire(memory, bytes);
    wrong += num_wrong_bytes(again, static_cast<std::byte*>(memory), words);
    cycles.unmap(memory, bytes);
  }
  EXPECT_EQ(wrong, 0U);
}

bool may_watch() { return memory::UnmapEvents::of_process()->why_deaf().empty(); }

TEST(R01, AThousandMappingsAtOneAddressOfTheHostSendTheirOwnBytes) {
  Nic nic;
  Cache cache(nic, {});
  expect_right_bytes({map_by_library, unmap_by_library}, kCycles, kBytes, cache);
  if (!may_watch()) GTEST_SKIP() << "bytes are right; the counters need userfaultfd, which is not allowed here";
  EXPECT_EQ(cache.counters().stale, kCycles) << "the last one went after it was leased";
  EXPECT_EQ(cache.counters().hits, kCycles);
}

TEST(R02, MemoryUnmappedPastEveryLibrarySendsItsOwnBytes) {
  for (const HostCycles cycles :
       {HostCycles{map_by_library, unmap_by_system_call}, HostCycles{map_by_system_call, unmap_by_system_call},
        HostCycles{map_by_system_call, unmap_by_library}}) {
    Nic nic;
    Cache cache(nic, {});
    expect_right_bytes(cycles, 50, Nic::kMaxHostBytes, cache);
    EXPECT_EQ(cache.counters().hits, may_watch() ? 50U : 0U) << "and is cached while it lives";
  }
}

/// As where a container forbids userfaultfd.
class Deaf final : public memory::UnmapEvents {
 public:
  std::string why_deaf() override { return "a test"; }

 private:
  bool begin(memory::Range) override { return false; }
  void end(memory::Range) noexcept override {}
};

TEST(R02, WhereNothingIsHeardNothingIsKeptAndTheBytesAreRight) {
  Nic nic;
  Cache cache(nic, {}, nullptr, std::make_shared<Deaf>());
  expect_right_bytes({map_by_system_call, unmap_by_system_call}, 50, Nic::kMaxHostBytes, cache);
  EXPECT_EQ(cache.counters().hits, 0U);
  EXPECT_EQ(cache.counters().regions, 0U);
}

}  // namespace
}  // namespace halyard::test
