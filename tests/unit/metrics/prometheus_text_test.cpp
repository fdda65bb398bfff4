// prometheus_text: the format, and the rules of Prometheus for names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "metrics/prometheus/families.hpp"

namespace halyard::metrics {
namespace {

using testing::HasSubstr;

Metrics some_metrics() {
  Metrics all;
  all.rank = 3;
  all.forward_exchanges = UINT64_C(12345678901);
  PathMetrics path;
  path.path = Path::verbs;
  path.nearness = Nearness::network;
  path.sent_bytes = 4096;
  path.staged_bytes = 17;
  path.wire.counts[0] = 2;
  path.wire.counts[3] = 5;
  path.wire.counts.back() = 1;
  path.wire.sum_s = 12.5;
  all.paths.push_back(path);
  all.neighbors.push_back({3, 9, 0, 0});
  all.neighbors.push_back({4, 7, 0, 0});
  all.errors[static_cast<std::size_t>(StatusCode::peer_failed)] = 2;
  all.registrations.bytes = 1 << 20;
  return all;
}

TEST(PrometheusText, GivesEachNumberItsLabels) {
  const std::string text = prometheus_text(some_metrics());
  EXPECT_THAT(text, HasSubstr("halyard_exchanges_total{rank=\"3\",kind=\"forward\"} 12345678901\n"));
  EXPECT_THAT(text, HasSubstr("halyard_sent_bytes_total{rank=\"3\",path=\"verbs\",neighbors=\"network\"} 4096\n"));
  EXPECT_THAT(text, HasSubstr("halyard_staged_bytes_total{rank=\"3\",path=\"verbs\",neighbors=\"network\"} 17\n"));
  EXPECT_THAT(text, HasSubstr("halyard_late_total{rank=\"3\",neighbor=\"4\"} 7\n"));
  EXPECT_EQ(text.find("neighbor=\"3\""), std::string::npos) << "nobody waits for itself";
  EXPECT_THAT(text, HasSubstr("halyard_errors_total{rank=\"3\",code=\"peer_failed\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("halyard_registered_bytes{rank=\"3\"} 1048576\n"));
}

TEST(PrometheusText, SumsBucketsUpToTheirBound) {
  const std::string text = prometheus_text(some_metrics());
  const std::string head = "halyard_wire_seconds_bucket{rank=\"3\",path=\"verbs\",neighbors=\"network\",le=";
  EXPECT_THAT(text, HasSubstr(head + "\"1e-06\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(head + "\"5e-06\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(head + "\"1e-05\"} 7\n"));
  EXPECT_THAT(text, HasSubstr(head + "\"10\"} 7\n"));
  EXPECT_THAT(text, HasSubstr(head + "\"+Inf\"} 8\n"));
  EXPECT_THAT(text, HasSubstr("halyard_wire_seconds_sum{rank=\"3\",path=\"verbs\",neighbors=\"network\"} 12.5\n"));
  EXPECT_THAT(text, HasSubstr("halyard_wire_seconds_count{rank=\"3\",path=\"verbs\",neighbors=\"network\"} 8\n"));
}

TEST(PrometheusText, HasOnlyLinesOfTheFormat) {
  const std::regex comment("# (HELP|TYPE) halyard_[a-z_]+ .+");
  const std::regex sample("halyard_[a-z_]+\\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*\\} [0-9.e+-]+");
  std::istringstream lines(prometheus_text(some_metrics()));
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(std::regex_match(line, comment) || std::regex_match(line, sample)) << line;
}

TEST(Families, AreNamedAsPrometheusAdvises) {
  const Metrics all = some_metrics();
  std::set<std::string_view> names;
  for (const Family& family : families_of(all)) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name << " twice";
    EXPECT_EQ(family.name.ends_with("_total"), family.kind == FamilyKind::counter) << family.name;
    EXPECT_TRUE(family.kind != FamilyKind::histogram || family.name.ends_with("_seconds")) << family.name;
    EXPECT_EQ(family.help.back(), '.') << family.help;
  }
  EXPECT_GT(names.size(), 15U);
}

}  // namespace
}  // namespace halyard::metrics
