// Cache: limits, the order of eviction, and what happens when registering fails for want of something.
#include <gtest/gtest.h>

#include "memory/cache.hpp"
#include "support/memory/counting_registrar.hpp"
#include "support/memory/fake_events.hpp"
#include "support/memory/pages.hpp"
#include "unit/error_text.hpp"

namespace halyard::memory {
namespace {

using test::CountingRegistrar;
using test::kPage;

/// A cache over memory that is only named. Buffers lie apart, so that they never join.
struct Fixture {
  explicit Fixture(CacheLimits limits, CountingRegistrar::Room room = {})
      : registrar(room), cache(registrar, limits, nullptr, std::make_shared<test::FakeEvents>()) {}

  Lease buffer(std::size_t index, std::size_t pages = 1) {
    return cache.acquire(reinterpret_cast<void*>((1000 + 100 * index) * kPage), pages * kPage, MemoryKind::host);
  }
  bool is_hit(std::size_t index) {
    const std::uint64_t before = cache.counters().hits;
    (void)buffer(index);
    return cache.counters().hits != before;
  }

  CountingRegistrar registrar;
  Cache cache;
};

TEST(CacheLimits, TheLeastRecentlyUsedRegionGoesFirst) {
  Fixture f({.regions = 3, .bytes = 0});
  for (std::size_t i = 0; i < 3; ++i) (void)f.buffer(i);
  EXPECT_TRUE(f.is_hit(0));  // now 1 is the oldest
  (void)f.buffer(3);
  EXPECT_EQ(f.cache.counters().evicted, 1U);
  EXPECT_TRUE(f.is_hit(0));
  EXPECT_TRUE(f.is_hit(2));
  EXPECT_TRUE(f.is_hit(3));
  EXPECT_FALSE(f.is_hit(1));
}

TEST(CacheLimits, BytesAreLimitedToo) {
  Fixture f({.regions = 100, .bytes = 4 * kPage});
  (void)f.buffer(0, 2);
  (void)f.buffer(1, 2);
  EXPECT_EQ(f.registrar.num_bytes, 4 * kPage);
  (void)f.buffer(2, 3);
  EXPECT_EQ(f.registrar.num_bytes, 3 * kPage) << "both had to go";
  EXPECT_EQ(f.cache.counters().evicted, 2U);
}

TEST(CacheLimits, WhatIsInUseStaysAndMayExceedTheLimit) {
  Fixture f({.regions = 2, .bytes = 2 * kPage});
  std::vector<Lease> leases;
  for (std::size_t i = 0; i < 5; ++i) leases.push_back(f.buffer(i));
  EXPECT_EQ(f.registrar.num_regions, 5U);
  EXPECT_EQ(f.registrar.num_deregistered, 0U);
  leases.clear();
  EXPECT_EQ(f.registrar.num_regions, 2U) << "and is brought back below it as leases end";
  EXPECT_TRUE(f.is_hit(4));
}

TEST(CacheLimits, ALimitBelowOnePageKeepsNothing) {
  Fixture f({.regions = 1024, .bytes = 1});
  (void)f.buffer(0);
  EXPECT_EQ(f.registrar.num_regions, 0U);
  EXPECT_FALSE(f.is_hit(0));
}

TEST(CacheLimits, IdleNeighborsDoNotJoinBeyondTheLimitOnBytes) {
  Fixture f({.regions = 100, .bytes = 5 * kPage});
  const auto at = [&](std::size_t first, std::size_t count) {
    return f.cache.acquire(reinterpret_cast<void*>((1000 + first) * kPage), count * kPage, MemoryKind::host);
  };
  (void)at(0, 4);
  EXPECT_EQ(at(3, 4).bytes(), 4 * kPage);
}

TEST(CacheLimits, AShortageIsCuredByEvictionOfAsManyAsItTakes) {
  Fixture f({}, {.regions = SIZE_MAX, .bytes = 4 * kPage});
  for (std::size_t i = 0; i < 4; ++i) (void)f.buffer(i);
  const Lease large = f.buffer(9, 3);
  EXPECT_EQ(f.cache.counters().evicted, 3U);
  EXPECT_EQ(f.registrar.num_failed, 3U);
  EXPECT_TRUE(f.is_hit(3));
}

TEST(CacheLimits, EveryKindOfShortageIsCured) {
  for (const int error : {ENOMEM, EAGAIN, ENOSPC, ENOBUFS, EMFILE}) {
    Fixture f({});
    (void)f.buffer(0);
    f.registrar.failures = {error};
    EXPECT_NO_THROW((void)f.buffer(1)) << error;
    EXPECT_EQ(f.cache.counters().evicted, 1U) << error;
  }
}

TEST(CacheLimits, WhatNoEvictionCuresEvictsNothing) {
  for (const int error : {EFAULT, EINVAL, EPERM, EIO}) {
    Fixture f({});
    (void)f.buffer(0);
    f.registrar.failures = {error};
    EXPECT_THROW((void)f.buffer(1), Error) << error;
    EXPECT_TRUE(f.is_hit(0)) << error;
  }
}

TEST(CacheLimits, AShortageWithNothingIdleSaysWhatIsInUse) {
  Fixture f({}, {.regions = 2, .bytes = SIZE_MAX});
  const Lease first = f.buffer(0, 2), second = f.buffer(1, 3);
  const std::string text = test::error_text(StatusCode::out_of_resources, [&] { (void)f.buffer(2); });
  EXPECT_EQ(text.find("register 4096 bytes of host memory with a counting registrar: register_range: Cannot allocate "
                      "memory; nothing idle is left to give back (20480 bytes in 2 regions are in use); "),
            0U)
      << text;
  EXPECT_NE(text.find("ulimit -l"), std::string::npos) << text;
  EXPECT_EQ(f.registrar.num_regions, 2U);
}

TEST(CacheLimits, OwnMemoryIsEvictedLikeAllOther) {
  Fixture f({.regions = 2, .bytes = 0});
  (void)f.cache.allocate(kPage);
  (void)f.buffer(0);
  (void)f.buffer(1);
  EXPECT_EQ(f.registrar.num_regions, 2U);
  EXPECT_EQ(f.cache.counters().evicted, 1U);
  EXPECT_TRUE(f.is_hit(0));
}

TEST(CacheLimits, OwnMemoryOfManySizesDoesNotAddUp) {
  Fixture f({});
  for (std::size_t pages = 1; pages <= 64; pages *= 4) {
    const Lease one = f.cache.allocate(pages * kPage), other = f.cache.allocate(pages * kPage);
  }
  EXPECT_EQ(f.registrar.num_bytes, 2 * 64 * kPage) << "the most that was in use at once";
  (void)f.cache.allocate(kPage);
  EXPECT_EQ(f.registrar.num_bytes, (64 + 1) * kPage) << "and one of the large ones went for a small one";
}

TEST(CacheLimits, AShortageOfOwnMemoryIsCuredAndOtherwiseReported) {
  Fixture f({}, {.regions = 1, .bytes = SIZE_MAX});
  (void)f.buffer(0);
  const Lease own = f.cache.allocate(kPage);
  const std::string text = test::error_text(StatusCode::out_of_resources, [&] { (void)f.cache.allocate(3 * kPage); });
  EXPECT_EQ(text.find("register 12288 bytes of message buffers with a counting registrar: "), 0U) << text;
}

}  // namespace
}  // namespace halyard::memory
