// report_page: sums over ranks, who was late, who was not heard. And that an account survives its way as bytes.
#include "context/observe/report_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "context/observe/packed.hpp"
#include "halyard/status.hpp"

namespace halyard::context {
namespace {

using testing::HasSubstr;
using testing::Not;

Metrics rank_with(int rank, std::uint64_t late_of_next) {
  Metrics all;
  all.rank = rank;
  all.forward_exchanges = 10;
  PathMetrics path;
  path.path = Path::verbs;
  path.nearness = Nearness::network;
  path.sent_messages = 20;
  path.sent_bytes = 2048;
  path.staged_bytes = 512;
  path.wire.counts[2] = 4;
  path.wire.sum_s = 20e-6;
  all.paths.push_back(path);
  all.neighbors.push_back({rank + 1, late_of_next, 0, 0});
  all.exposed.counts[3] = 10;
  all.exposed.sum_s = 1e-4 * (rank + 1);
  return all;
}

TEST(ReportPage, SumsPathsOverRanks) {
  const std::string page = report_page({rank_with(0, 3), rank_with(1, 1)}, {});
  EXPECT_THAT(page, HasSubstr("halyard report: 2 ranks, 20 forward and 0 reverse exchanges on all of them\n"));
  EXPECT_THAT(page, HasSubstr("  verbs   network           40    4.0 KiB        0 B    1.0 KiB         -       5.0"));
  EXPECT_THAT(page, HasSubstr("exposed: 15.0 us a wait, 0.00015 s a rank in 20 waits; most on rank 1: 0.0002 s\n"));
}

TEST(ReportPage, NamesWhoWasLateFirst) {
  EXPECT_THAT(report_page({rank_with(0, 3), rank_with(1, 1)}, {}),
              HasSubstr("late: 4 waits were for a neighbor; rank 1 3 (75 %), rank 2 1 (25 %)\n"));
  EXPECT_THAT(report_page({rank_with(0, 0)}, {}), HasSubstr("late: nobody\n"));
}

TEST(ReportPage, NamesRanksThatWereNotHeardAndWhatFailed) {
  Metrics failed = rank_with(0, 0);
  failed.errors[static_cast<std::size_t>(StatusCode::peer_failed)] = 2;
  const std::string page = report_page({failed}, {1, 2});
  EXPECT_THAT(page, HasSubstr("halyard report: 3 ranks"));
  EXPECT_THAT(page, HasSubstr("rank 2 was not heard: it failed, or never came here\n"));
  EXPECT_THAT(page, HasSubstr("failed: 2 peer_failed on rank 0\n"));
  EXPECT_THAT(page, HasSubstr("registered: nothing\n"));
  EXPECT_THAT(report_page({rank_with(0, 0)}, {}), Not(HasSubstr("failed")));
}

TEST(Packed, AnAccountIsTheSameAfterItsWay) {
  Account account;
  account.metrics = rank_with(4, 9);
  account.metrics.registrations.bytes = 77;
  account.trace.dropped = 5;
  account.trace.names = {"one", ""};
  account.trace.records.resize(3);
  account.trace.records[2].bytes = 123;
  const Account back = unpacked(packed(account));
  EXPECT_EQ(prometheus_text(back.metrics), prometheus_text(account.metrics));
  EXPECT_EQ(back.trace.rank, 4);
  EXPECT_EQ(back.trace.names, account.trace.names);
  EXPECT_EQ(back.trace.dropped, 5U);
  ASSERT_EQ(back.trace.records.size(), 3U);
  EXPECT_EQ(back.trace.records[2].bytes, 123U);
}

TEST(Packed, BytesThatEndTooSoonAreRefused) {
  transport::Blob blob = packed({});
  blob.resize(blob.size() - 1);
  EXPECT_THROW(unpacked(blob), Error);
}

}  // namespace
}  // namespace halyard::context
