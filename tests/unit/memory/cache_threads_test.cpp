// Cache used by threads at once: a region is never taken from under a lease, and the counts add up.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "memory/cache.hpp"
#include "support/memory/counting_registrar.hpp"
#include "support/memory/fake_events.hpp"
#include "support/memory/pages.hpp"

namespace halyard::memory {
namespace {

constexpr int kThreads = 4;
constexpr std::uint64_t kSteps = 2000;

std::byte* page(std::size_t index) { return reinterpret_cast<std::byte*>((1000 + index) * test::kPage); }

int num_wrong(Cache& cache, UnmapEvents& events, int thread) {
  std::mt19937_64 random(static_cast<std::uint64_t>(thread));
  std::vector<Lease> held;
  int wrong = 0;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    const Range wish = Range::of(page(random() % 64), (1 + random() % 4) * test::kPage);
    Lease lease = cache.acquire(wish.data(), wish.bytes(), MemoryKind::host);
    if (!Range::of(lease.base(), lease.bytes()).contains(wish)) ++wrong;
    if (!Range::of(lease.as<Registration>().base(), lease.as<Registration>().bytes()).contains(wish)) ++wrong;
    held.push_back(std::move(lease));
    if (held.size() > 6) std::swap(held[random() % held.size()], held.back()), held.pop_back();
    if (step % 50 == 0) events.note(Range::of(page(random() % 64), test::kPage));
  }
  return wrong;
}

TEST(CacheThreads, EveryLeaseCoversWhatWasAskedForAndAllIsGivenBack) {
  test::CountingRegistrar registrar({.regions = 60, .bytes = SIZE_MAX});
  const auto events = std::make_shared<test::FakeEvents>();
  {
    Cache cache(registrar, {.regions = 16, .bytes = 0}, nullptr, events);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) threads.emplace_back([&, t] { wrong += num_wrong(cache, *events, t); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    const CacheCounters now = cache.counters();
    EXPECT_EQ(now.hits + now.misses, kThreads * kSteps);
    EXPECT_LE(now.regions, 16U);
    EXPECT_EQ(now.regions, now.idle_regions);
    EXPECT_EQ(now.bytes, registrar.num_bytes);
    EXPECT_GT(now.stale, 0U);
    EXPECT_GT(now.evicted, 0U);
  }
  EXPECT_EQ(registrar.num_regions, 0U);
  EXPECT_EQ(events->num_watched, 0);
}

}  // namespace
}  // namespace halyard::memory
