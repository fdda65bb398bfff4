// Cache: what shares a region, what does not, and what is refused. Memory is only named, never touched.
#include "memory/cache.hpp"

#include <gtest/gtest.h>

#include "support/memory/counting_registrar.hpp"
#include "support/memory/fake_events.hpp"
#include "support/memory/pages.hpp"
#include "unit/error_text.hpp"

namespace halyard::memory {
namespace {

using test::kPage;

std::byte* page(std::size_t index) { return reinterpret_cast<std::byte*>((1000 + index) * kPage); }

class CacheTest : public testing::Test {
 protected:
  Lease pages(std::size_t first, std::size_t count) {
    return cache.acquire(page(first), count * kPage, MemoryKind::host);
  }

  test::CountingRegistrar registrar;
  std::shared_ptr<test::FakeEvents> events = std::make_shared<test::FakeEvents>();
  Cache cache{registrar, {}, nullptr, events};
};

TEST_F(CacheTest, RegistersTheWholePagesAroundWhatIsAskedFor) {
  const Lease lease = cache.acquire(page(3) + 100, kPage, MemoryKind::host);
  EXPECT_EQ(lease.base(), page(3));
  EXPECT_EQ(lease.bytes(), 2 * kPage);
  EXPECT_EQ(lease.as<Registration>().base(), page(3));
}

TEST_F(CacheTest, UsesThatOverlapShareOneRegion) {
  const Lease whole = pages(0, 8);
  const Lease part = cache.acquire(page(2) + 5, 3 * kPage, MemoryKind::host);
  const Lease again = pages(0, 8);
  EXPECT_EQ(registrar.num_registered, 1U);
  EXPECT_EQ(&part.as<Registration>(), &whole.as<Registration>());
  EXPECT_EQ(cache.counters().hits, 2U);
  EXPECT_EQ(cache.counters().misses, 1U);
}

TEST_F(CacheTest, KeepsARegionWhenItsLastLeaseEndsAndFindsItAgain) {
  { const Lease first = pages(0, 2); }
  EXPECT_EQ(registrar.num_deregistered, 0U);
  EXPECT_EQ(cache.counters().idle_bytes, 2 * kPage);
  const Lease second = pages(1, 1);
  EXPECT_EQ(registrar.num_registered, 1U);
  EXPECT_EQ(cache.counters().idle_bytes, 0U);
}

TEST_F(CacheTest, NeighborsThatOnlyTouchAreRegionsOfTheirOwn) {
  const Lease left = pages(0, 2);
  const Lease right = pages(2, 2);
  EXPECT_EQ(registrar.num_registered, 2U);
  EXPECT_EQ(right.base(), page(2));
}

TEST_F(CacheTest, AnIdleRegionThatOverlapsBecomesPartOfTheNewOne) {
  { const Lease idle = pages(0, 4); }
  const Lease lease = pages(2, 4);
  EXPECT_EQ(lease.base(), page(0));
  EXPECT_EQ(lease.bytes(), 6 * kPage);
  EXPECT_EQ(registrar.num_regions, 1U);
  const Lease old = pages(0, 4);
  EXPECT_EQ(cache.counters().hits, 1U);
}

TEST_F(CacheTest, ChainsOfIdleRegionsBecomeOneRegion) {
  { const Lease left = pages(0, 3), middle = pages(10, 3), far = pages(20, 3); }
  const Lease lease = pages(2, 9);
  EXPECT_EQ(lease.base(), page(0));
  EXPECT_EQ(lease.bytes(), 13 * kPage) << "page 0 to 12, and not the far one";
  EXPECT_EQ(registrar.num_regions, 2U);
}

TEST_F(CacheTest, ARegionInUseIsLeftAsItIsByOneThatOverlaps) {
  const Lease first = pages(0, 4);
  const Lease second = pages(2, 4);
  EXPECT_EQ(second.base(), page(2));
  EXPECT_EQ(registrar.num_regions, 2U);
  EXPECT_EQ(&pages(1, 1).as<Registration>(), &first.as<Registration>());
  EXPECT_EQ(&pages(4, 2).as<Registration>(), &second.as<Registration>());
}

TEST_F(CacheTest, ARegionInsideANewOneEndsWithItsLeaseAndNotBefore) {
  Lease small = pages(2, 1);
  const Lease large = pages(0, 8);
  EXPECT_EQ(registrar.num_regions, 2U);
  EXPECT_EQ(&pages(2, 1).as<Registration>(), &large.as<Registration>());
  small = Lease();
  EXPECT_EQ(registrar.num_regions, 1U);
}

TEST_F(CacheTest, MemoryThatWasUnmappedIsRegisteredAnew) {
  { const Lease before = pages(0, 4); }
  events->note(Range::of(page(3), kPage));
  const Lease after = pages(0, 4);
  EXPECT_EQ(registrar.num_registered, 2U);
  EXPECT_EQ(registrar.num_regions, 1U) << "the stale one is gone";
  EXPECT_EQ(cache.counters().stale, 1U);
}

TEST_F(CacheTest, UnmappingOfOtherMemoryChangesNothing) {
  { const Lease before = pages(1, 2); }
  events->note(Range::of(page(0), kPage));
  events->note(Range::of(page(3), kPage));
  const Lease after = pages(1, 2);
  EXPECT_EQ(registrar.num_registered, 1U);
  EXPECT_EQ(cache.counters().stale, 0U);
}

TEST_F(CacheTest, StaleRegionsGoWithTheNextCallOfAnyKind) {
  { const Lease idle = pages(0, 1); }
  const Lease other = pages(5, 1);
  events->note(Range::of(page(0), kPage));
  { const Lease hit = pages(5, 1); }
  EXPECT_EQ(registrar.num_regions, 1U);
}

TEST_F(CacheTest, MemoryUnmappedWhileLeasedIsNotSharedAndGoesWithItsLease) {
  Lease before = pages(0, 2);
  events->note(Range::of(page(0), kPage));
  const Lease after = pages(0, 2);
  EXPECT_NE(&before.as<Registration>(), &after.as<Registration>());
  EXPECT_EQ(registrar.num_deregistered, 0U) << "a region in use is never taken away";
  before = Lease();
  EXPECT_EQ(registrar.num_deregistered, 1U);
  EXPECT_EQ(events->num_watched, 1);
}

TEST_F(CacheTest, MemoryThatCannotBeWatchedIsRegisteredForEachLease) {
  events->deaf_because = "a test";
  const Lease first = pages(0, 1);
  { const Lease second = pages(0, 1); }
  EXPECT_EQ(registrar.num_registered, 2U);
  EXPECT_EQ(registrar.num_regions, 1U) << "the second was deregistered with its lease";
}

TEST_F(CacheTest, OwnMemoryIsZeroedAndServesTheNextCallerOfThatSize) {
  std::byte* first = nullptr;
  {
    const Lease lease = cache.allocate(100);
    first = lease.base();
    EXPECT_EQ(lease.bytes(), kPage);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % kPage, 0U);
    first[99] = std::byte{7};
  }
  const Lease again = cache.allocate(3000);
  EXPECT_EQ(again.base(), first);
  EXPECT_EQ(again.base()[99], std::byte{0});
  EXPECT_EQ(registrar.num_registered, 1U);
}

TEST_F(CacheTest, OwnMemoryIsNeverSharedAndNotWastedOnSmallWishes) {
  const Lease first = cache.allocate(kPage);
  { const Lease large = cache.allocate(64 * kPage); }
  const Lease second = cache.allocate(kPage);
  EXPECT_NE(first.base(), second.base());
  EXPECT_EQ(second.bytes(), kPage);
  const Lease fields = cache.acquire(first.base(), kPage, MemoryKind::host);
  EXPECT_NE(&fields.as<Registration>(), &first.as<Registration>());
}

TEST_F(CacheTest, ALeaseCanBeMovedAndEndsOnce) {
  Lease lease = pages(0, 1);
  Lease moved = std::move(lease);
  EXPECT_FALSE(lease);
  lease = std::move(moved);
  EXPECT_TRUE(lease);
  EXPECT_EQ(cache.counters().idle_regions, 0U);
  lease = Lease();
  EXPECT_EQ(cache.counters().idle_regions, 1U);
}

TEST_F(CacheTest, RefusesWhatIsNoMemory) {
  const auto refusal = [&](const void* data, std::size_t bytes) {
    return test::error_text(StatusCode::invalid_argument, [&] { (void)cache.acquire(data, bytes, MemoryKind::host); });
  };
  EXPECT_EQ(refusal(nullptr, 8), "register 8 bytes at 0x0: there must be at least one, not at null");
  EXPECT_NE(refusal(page(0), 0).find("at least one"), std::string::npos);
  EXPECT_NE(refusal(page(0), SIZE_MAX).find("behind the last address"), std::string::npos);
  EXPECT_NE(refusal(reinterpret_cast<void*>(UINTPTR_MAX - 10), 5).find("behind the last address"), std::string::npos);
  for (const std::size_t bytes : {std::size_t{0}, SIZE_MAX}) EXPECT_THROW((void)cache.allocate(bytes), Error);
}

TEST_F(CacheTest, SaysWhatTheRegistrarRefusedAndTriesOnlyOnce) {
  registrar.failures = {EFAULT};
  EXPECT_EQ(test::error_text(StatusCode::not_supported, [&] { (void)pages(0, 2); }),
            "register 8192 bytes of host memory with a counting registrar: register_range: Bad address; all of it must "
            "be mapped and writable; else use another path (HALYARD_PATH)");
  EXPECT_EQ(registrar.num_failed, 1U);
  EXPECT_EQ(cache.counters().regions, 0U);
  EXPECT_EQ(events->num_watched, 0);
}

TEST_F(CacheTest, ANeighborThatHasBecomeUnfitDoesNotSpoilWhatIsAskedFor) {
  { const Lease idle = pages(0, 4); }
  registrar.failures = {EFAULT};  // of pages 0 to 5
  const Lease lease = pages(2, 4);
  EXPECT_EQ(lease.base(), page(2));
  EXPECT_EQ(registrar.num_regions, 1U);
}

TEST_F(CacheTest, CountsTheTimeSpentRegistering) {
  const Lease lease = pages(0, 1);
  const std::uint64_t after_miss = cache.counters().registering_ns;
  EXPECT_GT(after_miss, 0U);
  { const Lease hit = pages(0, 1); }
  EXPECT_EQ(cache.counters().registering_ns, after_miss);
}

}  // namespace
}  // namespace halyard::memory
