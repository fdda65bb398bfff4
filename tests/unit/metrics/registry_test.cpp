// Registry and Meter: what a binding counts, and what a snapshot makes of it.
#include "metrics/registry.hpp"

#include <gtest/gtest.h>

namespace halyard::metrics {
namespace {

constexpr int kMe = 2;

std::shared_ptr<Registry> registry(std::shared_ptr<Trace> trace = nullptr) {
  Setting setting;
  setting.rank = kMe;
  setting.ranks_on_node = {0, 2, 5};
  setting.trace = std::move(trace);
  return std::make_shared<Registry>(std::move(setting));
}

Volume both_ways(std::int64_t sent, std::int64_t received, bool is_direct = false) {
  Volume volume;
  volume.sends = volume.receives = volume.packs = true;
  volume.is_direct = is_direct;
  volume.sent_bytes = sent;
  volume.received_bytes = received;
  return volume;
}

std::vector<MeteredLink> four_links() {
  return {{0, Path::shared, both_ways(100, 10), both_ways(10, 100)},
          {kMe, Path::self, both_ways(7, 7, true), both_ways(7, 7, true)},
          {5, Path::shared, both_ways(200, 20), both_ways(20, 200)},
          {9, Path::verbs, both_ways(1000, 1), both_ways(1, 1000)}};
}

const PathMetrics& path_of(const Metrics& all, Path path, Nearness nearness) {
  static const PathMetrics none;
  for (const PathMetrics& entry : all.paths)
    if (entry.path == path && entry.nearness == nearness) return entry;
  return none;
}

// One exchange in which links move in the order given.
void run(Meter& meter, std::uint64_t number, const std::vector<std::size_t>& order, bool is_reverse = false) {
  const Step step(number, is_reverse);
  const bool is_timed = meter.started(number);
  if (is_timed) meter.looks();
  for (const std::size_t link : order)
    if (is_timed) meter.sent(link, step);
  if (is_timed) meter.looks();
  for (const std::size_t link : order)
    if (is_timed) meter.received(link, step);
  meter.finished(is_reverse);
}

TEST(Registry, TellsHowFarAwayARankIs) {
  const auto all = registry();
  EXPECT_EQ(all->nearness_of(kMe), Nearness::self);
  EXPECT_EQ(all->nearness_of(0), Nearness::node);
  EXPECT_EQ(all->nearness_of(5), Nearness::node);
  EXPECT_EQ(all->nearness_of(1), Nearness::network);
  EXPECT_EQ(all->nearness_of(6), Nearness::network);
}

TEST(Meter, CountsWholeExchangesByPathAndNearness) {
  const auto all = registry();
  const auto meter = all->make_meter(1, four_links());
  for (std::uint64_t n = 1; n <= 10; ++n) run(*meter, n, {0, 1, 2, 3});
  run(*meter, 11, {0, 1, 2, 3}, true);
  const Metrics seen = all->snapshot();
  EXPECT_EQ(seen.rank, kMe);
  EXPECT_EQ(seen.forward_exchanges, 10U);
  EXPECT_EQ(seen.reverse_exchanges, 1U);
  const PathMetrics& node = path_of(seen, Path::shared, Nearness::node);
  EXPECT_EQ(node.sent_messages, 22U);
  EXPECT_EQ(node.sent_bytes, 10U * 300 + 30);
  EXPECT_EQ(node.received_messages, 22U);
  EXPECT_EQ(node.received_bytes, 10U * 30 + 300);
  EXPECT_EQ(node.direct_bytes, 0U);
  EXPECT_EQ(path_of(seen, Path::self, Nearness::self).direct_bytes, 77U);
  EXPECT_EQ(path_of(seen, Path::verbs, Nearness::network).sent_bytes, 10'001U);
  EXPECT_EQ(seen.paths.size(), 3U);
}

TEST(Meter, CountsNothingForALinkThatMovesNothing) {
  const auto all = registry();
  const auto meter = all->make_meter(1, {{0, Path::shared, {}, {}}});
  run(*meter, 1, {0});
  EXPECT_EQ(path_of(all->snapshot(), Path::shared, Nearness::node).sent_messages, 0U);
  EXPECT_EQ(path_of(all->snapshot(), Path::shared, Nearness::node).unpack.count(), 0U);
}

TEST(Meter, CountsWhatLinksMoveFromNowOnWhenTheyAreListedAnew) {
  const auto all = registry();
  const auto meter = all->make_meter(1, {{0, Path::shared, both_ways(10, 1), {}}});
  run(*meter, 1, {0});
  meter->set_volumes(0, both_ways(1000, 100), {});
  run(*meter, 2, {0});
  EXPECT_EQ(path_of(all->snapshot(), Path::shared, Nearness::node).sent_bytes, 1010U);
  EXPECT_EQ(path_of(all->snapshot(), Path::shared, Nearness::node).received_bytes, 101U);
}

TEST(Meter, TimesOneExchangeInSixtyFourAndTheFirst) {
  const auto all = registry();
  const auto meter = all->make_meter(1, four_links());
  for (std::uint64_t n = 1; n <= kTimedEvery; ++n) run(*meter, n, {0, 1, 2, 3});
  const Metrics before = all->snapshot();
  EXPECT_EQ(path_of(before, Path::shared, Nearness::node).pack.count(), 2U) << "two links";
  EXPECT_EQ(path_of(before, Path::shared, Nearness::node).unpack.count(), 2U);
  EXPECT_EQ(path_of(before, Path::shared, Nearness::node).wire.count(), 2U);
  EXPECT_EQ(path_of(before, Path::self, Nearness::self).wire.count(), 0U) << "there is none";
  run(*meter, kTimedEvery + 1, {0, 1, 2, 3});
  EXPECT_EQ(path_of(all->snapshot(), Path::shared, Nearness::node).pack.count(), 4U);
}

TEST(Meter, TimesNoWireOfAMessageThatCameBeforeTheOwnOneWent) {
  const auto all = registry();
  const auto meter = all->make_meter(1, four_links());
  ASSERT_TRUE(meter->started(1));
  meter->looks();
  meter->received(0, Step(1, false));
  meter->sent(0, Step(1, false));
  EXPECT_EQ(path_of(all->snapshot(), Path::shared, Nearness::node).wire.count(), 0U);
  EXPECT_EQ(path_of(all->snapshot(), Path::shared, Nearness::node).unpack.count(), 1U);
}

TEST(Meter, NamesWhoWasLateAndHowLongWaitsLasted) {
  const auto all = registry();
  const auto meter = all->make_meter(1, four_links());
  meter->waited(now_ticks(), Step(1, false), 2);
  meter->waited(now_ticks(), Step(2, false), 2);
  meter->waited(now_ticks(), Step(3, false), kNobody);
  const Metrics seen = all->snapshot();
  EXPECT_EQ(seen.exposed.count(), 3U);
  ASSERT_EQ(seen.neighbors.size(), 4U);
  EXPECT_EQ(seen.neighbors[0].rank, 0);
  EXPECT_EQ(seen.neighbors[0].late, 0U);
  EXPECT_EQ(seen.neighbors[2].rank, 5);
  EXPECT_EQ(seen.neighbors[2].late, 2U);
}

TEST(Meter, KeepsWhatItCountedWhenItsBindingHasGone) {
  const auto all = registry();
  auto first = all->make_meter(1, four_links());
  run(*first, 1, {0, 1, 2, 3});
  first->failed(StatusCode::timeout);
  first.reset();
  const auto second = all->make_meter(2, four_links());
  run(*second, 1, {0, 1, 2, 3});
  const Metrics seen = all->snapshot();
  EXPECT_EQ(seen.forward_exchanges, 2U);
  EXPECT_EQ(path_of(seen, Path::shared, Nearness::node).sent_bytes, 600U);
  EXPECT_EQ(seen.errors[static_cast<std::size_t>(StatusCode::timeout)], 1U);
  EXPECT_EQ(seen.neighbors.size(), 4U);
}

TEST(Meter, AsksForStagedBytesWhileItLivesAndRemembersThem) {
  const auto all = registry();
  std::uint64_t staged = 5;
  auto meter = all->make_meter(1, {{0, Path::shared, {}, {}}}, [&](std::size_t) { return staged; });
  EXPECT_EQ(all->snapshot().staged_bytes(), 5U);
  staged = 8;
  EXPECT_EQ(all->snapshot().staged_bytes(), 8U);
  meter.reset();
  staged = 100;
  EXPECT_EQ(all->snapshot().staged_bytes(), 8U);
}

TEST(Registry, AsksForRegistrationsUntilTheyAreForgotten) {
  Setting setting;
  std::uint64_t bytes = 4096;
  setting.registrations = [&] {
    RegistrationMetrics now;
    now.bytes = bytes;
    return now;
  };
  const auto all = std::make_shared<Registry>(std::move(setting));
  EXPECT_EQ(all->snapshot().registrations.bytes, 4096U);
  all->forget_registrations();
  bytes = 1;
  EXPECT_EQ(all->snapshot().registrations.bytes, 4096U) << "as they were at the end";
}

TEST(Meter, TracesEachMessageAndEachWaitWhileATraceIsTaken) {
  const auto trace = std::make_shared<Trace>(1024);
  const auto all = registry(trace);
  const auto meter = all->make_meter(7, four_links());
  run(*meter, 1, {0, 3});
  run(*meter, 2, {0, 3}, true);
  meter->waited(now_ticks(), Step(2, true), kNobody);
  const auto events = trace->events();
  ASSERT_EQ(events.size(), 9U);
  EXPECT_EQ(events[0].what.kind, EventKind::pack);
  EXPECT_EQ(events[0].what.peer, 0);
  EXPECT_EQ(events[0].what.bytes, 100U);
  EXPECT_EQ(events[0].what.binding, 7U);
  EXPECT_EQ(events[3].what.kind, EventKind::unpack);
  EXPECT_EQ(events[3].what.peer, 9);
  EXPECT_EQ(events[3].what.bytes, 1U);
  EXPECT_EQ(events[5].step.number(), 2U);
  EXPECT_TRUE(events[5].step.is_reverse());
  EXPECT_EQ(events[8].what.kind, EventKind::wait);
  for (const Event& event : events) EXPECT_LE(event.begin, event.end);
  EXPECT_LE(events[0].end, events[1].begin);
  EXPECT_EQ(all->snapshot().trace_events, 9U);
}

}  // namespace
}  // namespace halyard::metrics
