// One thread exchanges while others take snapshots and add to the trace: what ThreadSanitizer looks at.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "metrics/registry.hpp"

namespace halyard::metrics {
namespace {

TEST(Registry, IsReadWhileExchangesRunAndBindingsComeAndGo) {
  Setting setting;
  setting.ranks_on_node = {0, 1};
  setting.trace = std::make_shared<Trace>(std::size_t{1} << 14);
  const auto all = std::make_shared<Registry>(std::move(setting));
  Volume volume;
  volume.sends = volume.receives = volume.packs = true;
  volume.sent_bytes = volume.received_bytes = 8;
  std::atomic<bool> is_over{false};
  std::uint64_t last = 0;
  std::thread reader([&] {
    while (!is_over) {
      const Metrics seen = all->snapshot();
      EXPECT_GE(seen.forward_exchanges, last) << "never falls";
      last = seen.forward_exchanges;
    }
  });
  constexpr std::uint64_t kBindings = 20;
  constexpr std::uint64_t kExchanges = 100;
  for (std::uint64_t b = 0; b < kBindings; ++b) {
    const auto meter = all->make_meter(b, {{1, Path::shared, volume, volume}});
    for (std::uint64_t n = 1; n <= kExchanges; ++n) {
      meter->started(n);
      meter->looks();
      meter->sent(0, Step(n, false));
      meter->received(0, Step(n, false));
      meter->finished(false);
      meter->waited(now_ticks(), Step(n, false), 0);
    }
  }
  is_over = true;
  reader.join();
  EXPECT_EQ(all->snapshot().forward_exchanges, kBindings * kExchanges);
  EXPECT_EQ(all->snapshot().trace_events, 3 * kBindings * kExchanges);
}

TEST(Trace, TakesEventsFromSeveralThreads) {
  Trace trace(std::size_t{1} << 12);
  const auto add = [&] {
    What what;
    what.kind = EventKind::user;
    what.thread = Trace::own_thread();
    for (std::uint64_t n = 0; n < 1000; ++n) trace.add(what, n, n, Step(n, false));
  };
  std::thread other(add);
  add();
  other.join();
  std::map<int, std::uint32_t> next;
  for (const Event& event : trace.events()) EXPECT_EQ(event.step.number(), next[event.what.thread]++);
  EXPECT_EQ(next.size(), 2U);
}

}  // namespace
}  // namespace halyard::metrics
