// The wire fails while exchanges run over it: each rank gets an error that names whom it waits for, in time, and after
// the wire is mended new contexts work. Packets that are lost on the way cost time, never data.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"
#include "rdma/wire.hpp"

namespace halyard::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double kDeadline = 3;
constexpr double kSlack = 10;  // an emulated processor, and other jobs beside it

struct Fault {
  const char* name;
  const char* command;
  const char* rank_0_says = "";  // over verbs
  std::int64_t cells = 3;
};

// Rank 0 is on va, rank 1 on vb.
constexpr std::array kFaults{
    Fault{"link_of_rank_0_down", "ip link set va down"}, Fault{"link_of_rank_1_down", "ip link set vb down"},
    Fault{"packets_of_rank_0_vanish", "tc qdisc replace dev va root netem loss 100%"},
    Fault{"packets_of_both_vanish",
          "tc qdisc replace dev va root netem loss 100% && tc qdisc replace dev vb root netem loss 100%"},
    // As at a switch whose MTU is below that of both ports: what is small goes through. They vanish where they come in,
    // for soft-RoCE sends for ever what its own port throws away (docs/gotchas.md).
    Fault{"large_packets_vanish",
          "modprobe -a sch_ingress cls_u32 act_gact && tc qdisc replace dev vb clsact && "
          "tc filter add dev vb ingress protocol ip u32 match u16 0x1000 0x1000 at 2 action drop",
          "packets of 4096 bytes", 24},  // a face fills a packet
};

class WireFault : public testing::TestWithParam<std::tuple<Way, Fault>> {
 protected:
  Way way() const { return std::get<0>(GetParam()); }
  Fault fault() const { return std::get<1>(GetParam()); }
  Options options() const {
    Options options = options_of(way());
    options.deadline_s = kDeadline;
    options.verbs.timeout = 15;  // given up before the deadline
    return options;
  }
};

// Exchanges until one fails; what is wrong with how it failed.
std::string wrong_in_failure(Binding& binding, int peer, const std::string& says) {
  const auto start = Clock::now();
  Status status;
  while (status.ok()) {
    status = binding.forward().wait();
    if (std::chrono::duration<double>(Clock::now() - start).count() > 3 * kDeadline) return "exchanges go on";
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (seconds > kDeadline + kSlack) return "took " + std::to_string(seconds) + " s: " + status.text();
  const StatusCode code = status.code();
  if (code != StatusCode::timeout && code != StatusCode::peer_failed && code != StatusCode::transport_failed)
    return "code " + std::string(name_of(code)) + ": " + status.text();
  if (status.text().find("rank " + std::to_string(peer)) == std::string::npos) return "names no peer: " + status.text();
  if (status.text().find(says) == std::string::npos) return "does not say '" + says + "': " + status.text();
  const Status again = binding.forward().wait();
  return again.text() == status.text() ? "" : "the next exchange says something else: " + again.text();
}

TEST_P(WireFault, IsANamedErrorOnEveryRankInTimeAndNewContextsWorkAfterwards) {
  {
    Context context(MPI_COMM_WORLD, options());
    if (const auto why = closed(context, way()); !why.empty()) GTEST_SKIP() << why;
    CodedExchange exchange(context, way(), small_halo(context.size(), fault().cells));
    std::string wrong;
    for (std::uint64_t step = 0; step < 20 && wrong.empty(); ++step) wrong = exchange.run(step);
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
    const HurtWire hurt(fault().command);
    const bool says = way().path == Path::verbs && context.rank() == 0;
    wrong = wrong_in_failure(exchange.binding(), 1 - context.rank(), says ? fault().rank_0_says : "");
    EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  }
  Context context(MPI_COMM_WORLD, options_of(way()));
  EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, context, way(), small_halo(context.size(), 4)), "");
}

std::string name_of_fault(const testing::TestParamInfo<std::tuple<Way, Fault>>& info) {
  return std::string(std::get<1>(info.param).name) + "_" + std::get<0>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Ways, WireFault, testing::Combine(testing::ValuesIn(kWireWays), testing::ValuesIn(kFaults)),
                         name_of_fault);

class WireLoss : public OnEveryWay {};

TEST_P(WireLoss, TwoPercentOfThePacketsLostBothWaysLeaveAllGhostsRight) {
  CodedExchange exchange(context(), way(), small_halo(context().size(), 4));
  std::string wrong = exchange.run(0);  // connects
  ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  const HurtWire hurt("tc qdisc replace dev va root netem loss 2% && tc qdisc replace dev vb root netem loss 2%");
  for (std::uint64_t step = 1; step < 100 && wrong.empty(); ++step) wrong = exchange.run(step);
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  EXPECT_GT(packets_lost("va") + packets_lost("vb"), 0U) << "nothing was lost, so nothing was tried";
}

INSTANTIATE_TEST_SUITE_P(Ways, WireLoss, testing::ValuesIn(kWireWays), name_of_way);

}  // namespace
}  // namespace halyard::test
