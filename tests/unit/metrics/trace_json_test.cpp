// TraceJson: ranks with clocks that differ and drift end on one time line; messages are arrows; names are escaped.
#include "metrics/trace/trace_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halyard/metrics.hpp"
#include "metrics/trace/active.hpp"

namespace halyard::metrics {
namespace {

using testing::HasSubstr;
using testing::Not;

Record record(EventKind kind, int peer, std::int64_t begin, std::int64_t end) {
  Record made;
  made.kind = kind;
  made.peer = peer;
  made.begin_ns = begin;
  made.end_ns = end;
  made.binding = 3;
  made.step = Step(7, false).code;
  made.bytes = 64;
  return made;
}

std::string json_of(const std::vector<std::pair<RankTrace, Offset>>& ranks, std::int64_t origin = 0) {
  std::string text;
  TraceJson json([&](const std::string& part) { text += part; }, origin);
  for (const auto& [trace, offset] : ranks) json.add(trace, offset);
  json.finish();
  return text;
}

std::string line_with(const std::string& text, const std::string& part) {
  const auto at = text.find(part);
  if (at == std::string::npos) return "no " + part + " in " + text;
  const auto begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST(TraceJson, PutsRanksOnOneTimeLine) {
  const RankTrace zero{0, 0, {}, {record(EventKind::pack, 1, 1000, 3000)}};
  const RankTrace one{1, 0, {}, {record(EventKind::unpack, 0, 9'000'000, 9'002'000)}};
  const std::string text = json_of({{zero, {}}, {one, {-8'996'000, -8'996'000, 0, 10'000'000}}});
  EXPECT_THAT(line_with(text, "\"name\":\"pack\""), HasSubstr("\"pid\":0,\"tid\":0,\"ts\":1.000,\"dur\":2.000"));
  EXPECT_THAT(line_with(text, "\"name\":\"unpack\""), HasSubstr("\"pid\":1,\"tid\":0,\"ts\":4.000,\"dur\":2.000"));
  EXPECT_THAT(text, HasSubstr("\"exchange\":\"forward 7\",\"binding\":3,\"neighbor\":1,\"bytes\":64"));
}

TEST(TraceJson, DrawsAMessageFromPackingToUnpacking) {
  const RankTrace zero{0, 0, {}, {record(EventKind::pack, 1, 1000, 3000)}};
  const RankTrace one{1, 0, {}, {record(EventKind::unpack, 0, 5000, 6000)}};
  const std::string text = json_of({{zero, {}}, {one, {}}});
  const std::string out = line_with(text, "\"ph\":\"s\"");
  const std::string in = line_with(text, "\"ph\":\"f\"");
  EXPECT_THAT(out, HasSubstr("\"ts\":3.000"));
  EXPECT_THAT(in, HasSubstr("\"bp\":\"e\",\"pid\":1,\"tid\":0,\"ts\":5.000"));
  const auto id = out.substr(out.find("\"id\":"), 22);
  EXPECT_THAT(in, HasSubstr(id)) << "the same message";
}

TEST(TraceJson, ShowsTheWireOfAMessageWhoseOwnOneWentBefore) {
  const RankTrace zero{0, 0, {}, {record(EventKind::pack, 1, 1000, 3000), record(EventKind::unpack, 1, 7000, 8000)}};
  const std::string text = json_of({{zero, {}}});
  EXPECT_THAT(line_with(text, "\"ph\":\"b\""), HasSubstr("\"ts\":3.000,\"name\":\"wire, rank 1\""));
  EXPECT_THAT(line_with(text, "\"ph\":\"e\""), HasSubstr("\"ts\":7.000"));
  const RankTrace early{0, 0, {}, {record(EventKind::unpack, 1, 1000, 2000), record(EventKind::pack, 1, 3000, 4000)}};
  EXPECT_THAT(json_of({{early, {}}}), Not(HasSubstr("\"ph\":\"b\"")));
  const RankTrace beside{0, 0, {}, {record(EventKind::pack, 1, 1000, 5000), record(EventKind::unpack, 1, 4000, 6000)}};
  EXPECT_THAT(json_of({{beside, {}}}), Not(HasSubstr("\"ph\":\"b\""))) << "it would end before it began";
}

TEST(TraceJson, DrawsNoMessageOfARankToItself) {
  const RankTrace zero{0, 0, {}, {record(EventKind::unpack, 0, 1000, 2000)}};
  EXPECT_THAT(json_of({{zero, {}}}), Not(HasSubstr("\"ph\":\"f\"")));
}

TEST(TraceJson, EscapesNamesAndSaysWhatWasDropped) {
  Record own = record(EventKind::user, kNoPeer, 5000, 6000);
  own.name = 1;
  const RankTrace zero{0, 42, {"other", "a \"quoted\" \\ name\n"}, {own}};
  const std::string text = json_of({{zero, {}}}, 5000);
  EXPECT_THAT(text, HasSubstr("\"name\":\"a \\\"quoted\\\" \\\\ name\\u000a\",\"cat\":\"program\""));
  EXPECT_THAT(text, HasSubstr("\"ts\":0.000")) << "the file begins at its origin";
  EXPECT_THAT(text, HasSubstr("42 older events dropped"));
}

Record on_gpu(EventKind kind, GpuRow row, std::int64_t begin, std::int64_t end) {
  Record made = record(kind, kNoPeer, begin, end);
  made.gpu = 2;
  made.thread = row.code();
  return made;
}

TEST(TraceJson, GivesAGpuRowsThatSayWhatTheyAre) {
  Record range = on_gpu(EventKind::user, GpuRow::stream(1), 2000, 4000);
  range.name = 0;
  RankTrace zero{0,
                 0,
                 {"interior"},
                 {on_gpu(EventKind::pack, GpuRow::sending(3), 1000, 2000), range,
                  on_gpu(EventKind::unpack, GpuRow::receiving(3), 5000, 6000)}};
  zero.gpu_clocks.push_back({.gpu = 2, .within_ns = 1400, .step_ns = 32});
  const std::string text = json_of({{zero, {}}});
  EXPECT_THAT(text, HasSubstr("GPU 1: times within 1.4 us of the host's, in steps of 32 ns"));
  const std::string sends = line_with(text, "GPU 1, binding 3: sends");
  const std::string receives = line_with(text, "GPU 1, binding 3: receives");
  EXPECT_THAT(line_with(text, "\"name\":\"pack\""), HasSubstr(sends.substr(sends.find("\"tid\""), 12)));
  EXPECT_THAT(line_with(text, "\"name\":\"unpack\""), HasSubstr(receives.substr(receives.find("\"tid\""), 12)));
  EXPECT_THAT(text, HasSubstr("GPU 1, stream 1 of the program"));
  EXPECT_THAT(line_with(text, "\"name\":\"interior\""), HasSubstr("\"cat\":\"program\""));
  EXPECT_THAT(line_with(text, "\"ph\":\"b\""), HasSubstr("\"ts\":2.000,\"name\":\"wire\""));
  EXPECT_THAT(line_with(text, "\"ph\":\"e\""), HasSubstr("\"ts\":5.000"));
}

TEST(GpuClock, IsToldFromItsTwoReadings) {
  const GpuClock clock{
      .first_gpu_ns = 1'000'000, .first_steady_ns = 500, .last_gpu_ns = 2'000'000, .last_steady_ns = 1'000'700};
  EXPECT_EQ(clock.steady_ns(1'000'000), 500);
  EXPECT_EQ(clock.steady_ns(1'500'000), 500'600) << "half of the drift";
  EXPECT_EQ(clock.steady_ns(2'000'000), 1'000'700);
  const GpuClock once{.first_gpu_ns = 1000, .first_steady_ns = 500, .last_gpu_ns = 1000, .last_steady_ns = 500};
  EXPECT_EQ(once.steady_ns(1700), 1200) << "of one reading";
}

TEST(GpuRow, IsOneOfTwoForEachBindingOrOfAStream) {
  EXPECT_NE(GpuRow::sending(3).code(), GpuRow::receiving(3).code());
  EXPECT_NE(GpuRow::receiving(3).code(), GpuRow::sending(4).code());
  EXPECT_EQ(GpuRow::of_code(GpuRow::sending(0x12345).code()).of(), GpuRow::Of::sending);
  EXPECT_EQ(GpuRow::of_code(GpuRow::receiving(0x12345).code()).of(), GpuRow::Of::receiving);
  EXPECT_EQ(GpuRow::of_code(GpuRow::stream(0).code()).of(), GpuRow::Of::stream);
}

TEST(Offset, FollowsAClockThatDrifts) {
  const Offset offset{100, 300, 1000, 2000};
  EXPECT_EQ(offset.shifted(1000), 1100);
  EXPECT_EQ(offset.shifted(1500), 1700);
  EXPECT_EQ(offset.shifted(2000), 2300);
  EXPECT_EQ(Offset{}.shifted(7), 7);
}

TEST(TraceRange, GoesToTheActiveTraceAndNowhereElse) {
  { const TraceRange nowhere("before"); }
  const auto ring = std::make_shared<Trace>(64);
  {
    const auto active = make_active(ring);
    ASSERT_NE(active, nullptr);
    EXPECT_EQ(make_active(std::make_shared<Trace>(64)), nullptr) << "one at a time";
    const TraceRange outer("outer");
    { const TraceRange inner("inner"); }
  }
  { const TraceRange after("after"); }
  const RankTrace seen = taken_down(*ring, 5);
  ASSERT_EQ(seen.records.size(), 2U);
  EXPECT_EQ(seen.names[seen.records[0].name], "outer") << "the one that began first";
  EXPECT_EQ(seen.names[seen.records[1].name], "inner");
  EXPECT_LE(seen.records[0].begin_ns, seen.records[1].begin_ns);
  EXPECT_GE(seen.records[0].end_ns, seen.records[1].end_ns);
  EXPECT_NE(make_active(std::make_shared<Trace>(64)), nullptr) << "the next one may come";
}

}  // namespace
}  // namespace halyard::metrics
