// What a context counts is what its plans say moved, on every path, and nothing else; failures are counted by code;
// files and ports that cannot be had stop nobody.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "mpi/metrics/shared_folder.hpp"
#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

using testing::HasSubstr;

struct Moved {
  std::uint64_t sent_messages = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_messages = 0;
  std::uint64_t received_bytes = 0;
  std::uint64_t direct_bytes = 0;

  std::string text() const {
    std::ostringstream out;
    out << sent_messages << " messages and " << sent_bytes << " bytes sent, " << received_messages << " and "
        << received_bytes << " received, " << direct_bytes << " direct";
    return out.str();
  }
};

// By the plan: `num_forward` exchanges and `num_reverse` back, by one path.
Moved planned(const Binding& binding, Path path, std::uint64_t num_forward, std::uint64_t num_reverse) {
  Moved moved;
  const std::uint64_t num_both = num_forward + num_reverse;
  for (std::size_t i = 0; i < binding.plan().neighbors().size(); ++i) {
    const PlanNeighbor& neighbor = binding.plan().neighbors()[i];
    if (neighbor.path != path) continue;
    const auto out = static_cast<std::uint64_t>(neighbor.send.bytes);
    const auto in = static_cast<std::uint64_t>(neighbor.receive.bytes);
    moved.sent_messages += num_both;
    moved.received_messages += num_both;
    moved.sent_bytes += num_forward * out + num_reverse * in;
    moved.received_bytes += num_forward * in + num_reverse * out;
  }
  return moved;
}

Moved counted(const Metrics& all, Path path) {
  Moved moved;
  for (const PathMetrics& entry : all.paths) {
    if (entry.path != path) continue;
    moved.sent_messages += entry.sent_messages;
    moved.sent_bytes += entry.sent_bytes;
    moved.received_messages += entry.received_messages;
    moved.received_bytes += entry.received_bytes;
    moved.direct_bytes += entry.direct_bytes;
  }
  return moved;
}

// Each line of explain_json is a neighbor: what was measured stands there for all but this rank itself.
std::string measured_wrongly(const std::string& json) {
  std::istringstream lines(json);
  std::string head;
  std::getline(lines, head);
  std::string wrong;
  for (std::string line; std::getline(lines, line);) {
    const bool is_self = line.find("\"path\":\"self\"") != std::string::npos;
    const bool is_null = line.find("\"measured_us\":null") != std::string::npos;
    if (line.find("\"measured_us\":") == std::string::npos || is_self != is_null) wrong += line;
  }
  return wrong;
}

class CountedExchanges : public OnEveryWay {};

TEST_P(CountedExchanges, MoveWhatTheirPlansSay) {
  CodedExchange exchange(context(), way(), small_halo(context().size()));
  std::string wrong;
  for (std::uint64_t step = 0; step < 5 && wrong.empty(); ++step) wrong = exchange.run(step);
  for (int i = 0; i < 2; ++i) (void)exchange.binding().reverse().wait();
  const Metrics seen = metrics_of(context());
  EXPECT_EQ(seen.rank, context().rank());
  EXPECT_EQ(seen.forward_exchanges, 5U);
  EXPECT_EQ(seen.reverse_exchanges, 2U);
  Moved expected = planned(exchange.binding(), way().path, 5, 2);
  if (way().memory == Memory::halyard) expected.direct_bytes = expected.received_bytes;
  Moved got = counted(seen, way().path);
  if (way().memory == Memory::mixed) got.direct_bytes = 0;  // what even ranks send
  if (wrong.empty() && got.text() != expected.text()) wrong = got.text() + ", planned: " + expected.text();
  Moved own = planned(exchange.binding(), Path::self, 5, 2);
  own.direct_bytes = own.received_bytes;
  if (wrong.empty() && counted(seen, Path::self).text() != own.text()) wrong = counted(seen, Path::self).text();
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(CountedExchanges, AreTimedForTheFirstTime) {
  CodedExchange exchange(context(), way(), small_halo(context().size()));
  std::string wrong = exchange.run(1);
  wrong += measured_wrongly(exchange.binding().explain_json());
  const Metrics seen = metrics_of(context());
  for (const PathMetrics& entry : seen.paths) {
    if (entry.unpack.count() == 0) wrong += "no unpacking timed on " + std::string(name_of(entry.path));
    if (entry.path == Path::self ? entry.wire.count() != 0 : entry.wire.count() == 0)
      wrong += "wire timed wrongly on " + std::string(name_of(entry.path));
    if (entry.nearness != (entry.path == Path::self ? Nearness::self : Nearness::node)) wrong += "not on this node";
  }
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

INSTANTIATE_TEST_SUITE_P(Ways, CountedExchanges, testing::ValuesIn(kWays), name_of_way);

TEST(CountedErrors, AreCountedByTheirCode) {
  Options options = options_of(kMailbox);
  options.deadline_s = 0.3;
  Context context(MPI_COMM_WORLD, options);
  if (const auto why = closed(context, kMailbox); !why.empty() || context.size() < 2) GTEST_SKIP() << "needs two ranks";
  CodedExchange exchange(context, kMailbox, small_halo(context.size()));
  if (context.rank() == 0) {
    EXPECT_EQ(exchange.binding().forward().wait().code(), StatusCode::timeout);
    const Metrics seen = metrics_of(context);
    EXPECT_EQ(seen.errors[static_cast<std::size_t>(StatusCode::timeout)], 1U);
    EXPECT_EQ(seen.forward_exchanges, 0U) << "it did not end well";
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(LateNeighbors, AreNamed) {
  Context context(MPI_COMM_WORLD, options_of(kMpi));
  if (context.size() != 2) GTEST_SKIP() << "for two ranks";
  CodedExchange exchange(context, kMpi, small_halo(2));
  MPI_Request started = MPI_REQUEST_NULL;
  char nothing = 0;
  Transfer transfer;
  if (context.rank() == 0) {
    // Rank 1 starts only when rank 0 has been seen to wait: it polls, finds nothing, and then tells rank 1.
    transfer = exchange.binding().forward();
    EXPECT_FALSE(transfer.ready());
    MPI_Isend(&nothing, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &started);
  } else {
    MPI_Recv(&nothing, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    transfer = exchange.binding().forward();
  }
  EXPECT_TRUE(transfer.wait().ok());
  if (started != MPI_REQUEST_NULL) MPI_Wait(&started, MPI_STATUS_IGNORE);
  const Metrics seen = metrics_of(context);
  EXPECT_EQ(seen.exposed.count(), 1U);
  for (const NeighborMetrics& neighbor : seen.neighbors) {
    EXPECT_LE(neighbor.late, neighbor.rank == context.rank() ? 0U : 1U) << neighbor.rank;
  }
}

TEST(MetricsFiles, AreWrittenByEachRankWhenItsContextEnds) {
  const SharedFolder folder;
  Options options = options_of(kMpi);
  options.output.metrics_file = folder.name("rank_%r.prom");
  {
    Context context(MPI_COMM_WORLD, options);
    CodedExchange exchange(context, kMpi, small_halo(context.size()));
    EXPECT_EQ(exchange.run(1), "");
  }
  const std::string rank = std::to_string(rank_of(MPI_COMM_WORLD));
  EXPECT_THAT(folder.only_contents("rank_" + rank + "."),
              HasSubstr("halyard_exchanges_total{rank=\"" + rank + "\",kind=\"forward\"} 1\n"));
}

// Badly asked for: one line each, and the exchange goes on.
TEST(MetricsFiles, ThatCannotBeHadStopNobody) {
  Options options = options_of(kMpi);
  options.output.metrics_file = "/tmp/m_%x.prom";
  options.output.metrics_port = "none";
  options.log = "error";
  testing::internal::CaptureStderr();
  std::string wrong;
  {
    Context context(MPI_COMM_WORLD, options);
    CodedExchange exchange(context, kMpi, small_halo(context.size()));
    wrong = exchange.run(1);
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  EXPECT_THAT(log,
              HasSubstr("goes on without a metrics file: halyard: HALYARD_METRICS_FILE='/tmp/m_%x.prom': after %"));
  EXPECT_THAT(log, HasSubstr("goes on without a metrics port: halyard: HALYARD_METRICS_PORT='none': expected a port"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2) << log;
}

}  // namespace
}  // namespace halyard::test
