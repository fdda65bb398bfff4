// What a trace shows of exchanges on a GPU: when a kernel began, sent, received and ended, of each exchange, those of
// replayed graphs too; what ran beside it; what was lost.
#include <gtest/gtest.h>

#include <chrono>
#include <map>

#include "conformance/gpu_scene.hpp"
#include "exchange/gpu/stamps/stamps.hpp"
#include "halyard/metrics.hpp"
#include "metrics/trace/active.hpp"
#include "metrics/trace/record.hpp"
#include "support/driven_to_end.hpp"
#include "support/gpu/device_under_test.hpp"
#include "support/gpu/tools.hpp"

namespace halyard::test {
namespace {

using exchange::gpu::Stamps;
using metrics::EventKind;
using metrics::Record;
using std::chrono::milliseconds;
using Launches = GpuScene::Launches;

std::int64_t steady_ns() { return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1); }

/// The parts of one exchange of one rank.
struct Parts {
  std::map<EventKind, Record> of;
  const Record& operator[](EventKind kind) { return of[kind]; }
};

/// Ranks in one process whose kernels are traced, a trace for each.
class TracedWorld {
 public:
  TracedWorld(const std::shared_ptr<device::Device>& device, GpuWorld::Settings settings,
              std::uint32_t num_slots = Stamps::kCapacity) {
    for (int rank = 0; rank < 2; ++rank) {
      traces_.push_back(std::make_shared<metrics::Trace>(1024));
      stamps_.push_back(std::make_shared<Stamps>(*traces_.back(), device, num_slots));
      (void)stamps_.back()->log_of(rank % device->num_gpus());
    }
    settings.stamps = [this](int rank) { return stamps_[static_cast<std::size_t>(rank)]; };
    world_ = std::make_unique<GpuWorld>(2, device, settings);
  }

  GpuWorld& world() { return *world_; }
  const std::shared_ptr<metrics::Trace>& trace(int rank) { return traces_[static_cast<std::size_t>(rank)]; }

  /// All kernels have ended: what the trace of a rank holds.
  metrics::RankTrace ended(int rank) {
    stamps_[static_cast<std::size_t>(rank)]->end();
    return metrics::taken_down(*trace(rank), rank);
  }

 private:
  std::vector<std::shared_ptr<metrics::Trace>> traces_;
  std::vector<std::shared_ptr<Stamps>> stamps_;
  std::unique_ptr<GpuWorld> world_;
};

/// By number of the exchange.
std::map<std::uint32_t, Parts> exchanges_in(const metrics::RankTrace& trace) {
  std::map<std::uint32_t, Parts> exchanges;
  for (const Record& record : trace.records) {
    const auto [known, is_new] =
        exchanges[metrics::Step::of_code(record.step).number()].of.try_emplace(record.kind, record);
    EXPECT_TRUE(is_new) << "one of each kind";
    EXPECT_NE(record.gpu, 0);
  }
  return exchanges;
}

class GpuTrace : public testing::TestWithParam<std::tuple<Path, Launches, bool>> {
 protected:
  static Launches launches() { return std::get<1>(GetParam()); }
  static GpuWorld::Settings settings() {
    GpuWorld::Settings settings;
    settings.path = std::get<0>(GetParam());
    settings.shares_gpus = std::get<2>(GetParam());
    return settings;
  }
  std::shared_ptr<void> captured(GpuScene& scene, int rank) {
    const Stream stream = scene.world().stream(rank);
    tools_->begin_capture(stream);
    const std::uint64_t number = launches() == Launches::one ? scene.run_one(rank) : scene.start(rank);
    EXPECT_TRUE(scene.binding(rank).wait_in(number, stream).ok());
    return tools_->end_capture(stream);
  }
  void replay(GpuScene& scene, const std::vector<std::shared_ptr<void>>& graphs, int times) {
    for (int i = 0; i < times; ++i)
      for (int rank = 0; rank < 2; ++rank)
        tools_->replay(graphs[static_cast<std::size_t>(rank)], scene.world().stream(rank));
    for (int rank = 0; rank < 2; ++rank)
      ASSERT_TRUE(device_->synchronize(scene.world().stream(rank), scene.world().ordinal(rank)).ok());
  }

  std::shared_ptr<device::Device> device_ = device_under_test();
  std::unique_ptr<GpuTools> tools_ = gpu_tools(*device_);
};

TEST_P(GpuTrace, MomentsOfEachExchangeComeInTheirOrder) {
  for (const auto& problem : {gpu_row(2), gpu_planes(2)}) {
    SCOPED_TRACE(problem.text);
    TracedWorld traced(device_, settings());
    std::int64_t before = 0;
    std::int64_t after = 0;
    constexpr std::uint32_t kTimes = 5;
    {
      GpuScene scene(traced.world(), problem);
      before = steady_ns();
      for (std::uint64_t step = 0; step < kTimes; ++step) ASSERT_EQ(scene.run(step, launches()), "");
      after = steady_ns();
    }
    const metrics::RankTrace traces[2] = {traced.ended(0), traced.ended(1)};
    std::map<std::uint32_t, Parts> ranks[2] = {exchanges_in(traces[0]), exchanges_in(traces[1])};
    // What the two clocks of a GPU and of its host, and the steps of the former, leave open.
    ASSERT_EQ(traces[0].gpu_clocks.size(), 1U);
    const auto& clock = traces[0].gpu_clocks[0];
    const std::int64_t within = 2 * (clock.within_ns + clock.step_ns + traces[1].gpu_clocks[0].within_ns);
    for (int rank = 0; rank < 2; ++rank) {
      std::int64_t last_end = before;
      std::int64_t stored_ns = 0;  // after the last wait for room
      ASSERT_EQ(ranks[rank].size(), kTimes);
      for (auto& [number, parts] : ranks[rank]) {
        SCOPED_TRACE("rank " + std::to_string(rank) + ", exchange " + std::to_string(number));
        const Record& pack = parts[EventKind::pack];
        const Record& wait = parts[EventKind::wait];
        const Record& unpack = parts[EventKind::unpack];
        EXPECT_GE(pack.begin_ns, last_end - within);
        EXPECT_GE(pack.end_ns, pack.begin_ns);
        if (parts.of.count(EventKind::room) != 0) {
          EXPECT_EQ(parts[EventKind::room].begin_ns, pack.begin_ns);
          EXPECT_LE(parts[EventKind::room].end_ns, pack.end_ns);
          stored_ns += pack.end_ns - parts[EventKind::room].end_ns;
        }
        EXPECT_GE(wait.begin_ns, pack.begin_ns);
        EXPECT_GE(wait.end_ns, wait.begin_ns);
        EXPECT_EQ(unpack.begin_ns, wait.end_ns);
        EXPECT_GE(unpack.end_ns, unpack.begin_ns);
        EXPECT_GT(unpack.bytes, 0U);
        EXPECT_EQ(unpack.bytes, ranks[1 - rank][number][EventKind::pack].bytes);
        EXPECT_GE(wait.end_ns, ranks[1 - rank][number][EventKind::pack].begin_ns - within)
            << "nothing arrives before the neighbor has begun";
        last_end = unpack.end_ns;
      }
      EXPECT_LE(last_end, after + within);
      EXPECT_GT(stored_ns, 0) << "in all exchanges together: the clock may move in steps";
    }
  }
}

TEST_P(GpuTrace, EachReplayOfAGraphIsThere) {
  TracedWorld traced(device_, settings());
  constexpr int kTimes = 7;
  {
    GpuScene scene(traced.world(), gpu_row(2));
    std::vector<std::shared_ptr<void>> graphs;
    for (int rank = 0; rank < 2; ++rank) graphs.push_back(captured(scene, rank));
    scene.fill(0);
    replay(scene, graphs, kTimes);
    EXPECT_EQ(scene.check(0), "");
  }
  for (int rank = 0; rank < 2; ++rank) {
    auto exchanges = exchanges_in(traced.ended(rank));
    EXPECT_EQ(exchanges.size(), std::size_t{kTimes});
    for (auto& [number, parts] : exchanges) {
      EXPECT_EQ(parts.of.count(EventKind::pack), 1U) << number;
      EXPECT_EQ(parts.of.count(EventKind::unpack), 1U) << number;
    }
  }
}

TEST_P(GpuTrace, WhatIsOverwrittenBeforeTheHostComesIsCounted) {
  constexpr std::uint32_t kSlots = 8;
  constexpr std::uint32_t kTimes = 20;
  TracedWorld traced(device_, settings(), kSlots);
  {
    GpuScene scene(traced.world(), gpu_row(2));
    std::vector<std::shared_ptr<void>> graphs;
    for (int rank = 0; rank < 2; ++rank) graphs.push_back(captured(scene, rank));
    scene.fill(0);
    replay(scene, graphs, kTimes);
  }
  const std::uint32_t num_stamps = launches() == Launches::one ? kTimes : 2 * kTimes;
  for (int rank = 0; rank < 2; ++rank) {
    const metrics::RankTrace trace = traced.ended(rank);
    EXPECT_EQ(trace.dropped, num_stamps - kSlots);
    const auto exchanges = exchanges_in(trace);
    EXPECT_EQ(exchanges.size(), launches() == Launches::one ? kSlots : kSlots / 2) << "the newest";
    EXPECT_EQ(exchanges.rbegin()->first, kTimes);
  }
}

const Record& first_of(const metrics::RankTrace& trace, EventKind kind) {
  static const Record none{};
  for (const Record& record : trace.records)
    if (record.kind == kind) return record;
  ADD_FAILURE() << "the trace has no event of kind " << static_cast<int>(kind);
  return none;
}

// The neighbor starts once the first range has ended; the whole exchange lies in the second one.
TEST_P(GpuTrace, WorkBesideAnExchangeIsSeenBesideIt) {
  TracedWorld traced(device_, settings());
  const auto active = metrics::make_active(traced.trace(0));
  ASSERT_NE(active, nullptr);
  const Stream beside = device_->create_stream(0);
  const std::vector<std::byte> bytes(64);
  const auto target = gpu_memory(device_, 0, bytes.size());
  {
    GpuScene scene(traced.world(), gpu_row(2));
    scene.fill(0);
    const auto start = [&](int rank) { return launches() == Launches::one ? scene.run_one(rank) : scene.start(rank); };
    std::uint64_t numbers[2] = {start(0), 0};
    const TraceRange around("around", beside);
    {
      const TraceRange range("interior", beside);
      tools_->enqueue_slow_copy(beside, target.get(), bytes, milliseconds(2));
    }
    ASSERT_TRUE(device_->synchronize(beside, 0).ok());
    numbers[1] = start(1);
    const Status status = driven_to_end(scene.bindings(), {numbers[0], numbers[1]});
    ASSERT_TRUE(status.ok()) << status.text();
    EXPECT_EQ(scene.check(0), "");
  }
  ASSERT_TRUE(device_->synchronize(beside, 0).ok());
  metrics::RankTrace trace = traced.ended(0);
  device_->destroy_stream(beside);
  std::map<std::string, Record> ranges;
  for (const Record& record : trace.records)
    if (record.kind == EventKind::user) ranges[trace.names[record.name]] = record;
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_NE(ranges["interior"].gpu, 0);
  EXPECT_GE(ranges["interior"].end_ns - ranges["interior"].begin_ns, 2'000'000) << "as long as the work";
  const Record& unpack = first_of(trace, EventKind::unpack);
  EXPECT_GE(unpack.begin_ns, ranges["interior"].end_ns) << "the message came after the work beside it";
  EXPECT_LE(first_of(trace, EventKind::pack).begin_ns, unpack.begin_ns);
  EXPECT_GE(ranges["around"].end_ns, unpack.end_ns);
}

std::string name_of_case(const testing::TestParamInfo<std::tuple<Path, Launches, bool>>& tested) {
  const auto& [path, launches, shares] = tested.param;
  return std::string(path == Path::peer ? "Peer" : "Staged") + (launches == Launches::one ? "One" : "Two") +
         (shares ? "Shared" : "");
}

INSTANTIATE_TEST_SUITE_P(Ways, GpuTrace,
                         testing::Combine(testing::Values(Path::peer, Path::shared),
                                          testing::Values(Launches::one, Launches::two), testing::Values(false)),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(SharedGpu, GpuTrace,
                         testing::Combine(testing::Values(Path::peer), testing::Values(Launches::two),
                                          testing::Values(true)),
                         name_of_case);

TEST(GpuTraceRange, IsMarkedInEachReplayAndNestsInItsStream) {
  const auto device = device_under_test();
  const auto tools = gpu_tools(*device);
  const auto trace = std::make_shared<metrics::Trace>(256);
  const auto active = metrics::make_active(trace);
  const Stream stream = device->create_stream(0);
  Stamps stamps(*trace, device, 64);
  { const TraceRange range("before there is a ring", stream); }
  (void)stamps.log_of(0);
  tools->begin_capture(stream);
  {
    const TraceRange outer("outer", stream);
    { const TraceRange inner("inner", stream); }
    { const TraceRange inner("inner", stream); }
  }
  const auto graph = tools->end_capture(stream);
  constexpr int kTimes = 3;
  for (int i = 0; i < kTimes; ++i) tools->replay(graph, stream);
  ASSERT_TRUE(device->synchronize(stream, 0).ok());
  stamps.end();
  { const TraceRange range("after", stream); }
  device->destroy_stream(stream);
  const metrics::RankTrace seen = metrics::taken_down(*trace, 0);
  std::map<std::string, int> counts;
  for (const Record& record : seen.records) ++counts[seen.names[record.name]];
  EXPECT_EQ(counts, (std::map<std::string, int>{{"inner", 2 * kTimes}, {"outer", kTimes}}));
  ASSERT_EQ(seen.records.size(), 3U * kTimes);
  EXPECT_LE(seen.records[0].begin_ns, seen.records[1].begin_ns);
  EXPECT_LE(seen.records[1].end_ns, seen.records[2].begin_ns);
  EXPECT_GE(seen.records[0].end_ns, seen.records[2].end_ns) << "the outer one";
}

}  // namespace
}  // namespace halyard::test
