// HostEvents while threads map, watch and unmap at once: no thread waits for ever, and each hears of its own memory.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "memory/events/unmap_events.hpp"
#include "support/memory/pages.hpp"

namespace halyard::memory {
namespace {

constexpr int kThreads = 4;
constexpr int kSteps = 200;

int num_unheard(UnmapEvents& events, int thread) {
  int unheard = 0;
  for (int step = 0; step < kSteps; ++step) {
    const test::Pages pages(2);
    const auto watch = events.watch(pages.range());
    // It may be stale already: another thread's memory lay here, and the kernel tells of that a moment late.
    (step + thread) % 2 == 0 ? pages.unmap() : pages.unmap_by_system_call();
    events.settle();
    if (!watch || !watch->is_stale()) ++unheard;
    std::vector<char> churn(200'000 + 1000 * static_cast<std::size_t>(step));  // malloc maps and unmaps below
  }
  return unheard;
}

TEST(HostEventsThreads, EachHearsOfItsOwnMemoryWhileAllUnmap) {
  const auto events = UnmapEvents::of_process();
  if (const std::string why = events->why_deaf(); !why.empty()) GTEST_SKIP() << why;
  std::atomic<int> unheard{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back([&, t] { unheard += num_unheard(*events, t); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(unheard, 0);
}

}  // namespace
}  // namespace halyard::memory
