// Messages that are shared by two rails, each over the wire: fields in the host's memory, and on the emulated GPU,
// where payload and header go apart. Run by tests/rdma/ranks with path "rails".
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <string>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"
#include "rdma/wire.hpp"

namespace halyard::test {
namespace {

constexpr std::array kDevices{"rxe0", "rxe1"};
constexpr std::uint64_t kPacket = 4096;

std::uint64_t packets_sent_by(const std::string& device) {
  std::uint64_t sent = 0;
  std::ifstream("/sys/class/infiniband/" + device + "/ports/1/hw_counters/sent_pkts") >> sent;
  return sent;
}

/// Rank 1 holds `cells` x `cells` of rank 0 as ghosts, and nobody anything else: one message, one way.
RandomCase one_way(int num_ranks, std::int64_t cells) {
  return plain_case(Decomposition::grid(Box::of_extent({cells * num_ranks, cells, 1}), {num_ranks, 1, 1}),
                    {false, false, false}, {{cells, 0, 0}, {0, 0, 0}});
}

class RdmaRails : public OnEveryWay {
 protected:
  void SetUp() override {
    const char* devices = std::getenv("HALYARD_VERBS_DEVICE");
    if (devices == nullptr || std::string(devices).find(',') == std::string::npos)
      GTEST_SKIP() << "needs two rails: tests/rdma/ranks <number> rails -- <program>";
    OnEveryWay::SetUp();
  }
};

TEST_P(RdmaRails, EachCarriesItsShareOfALargeMessage) {
  constexpr std::int64_t kCells = 128;
  constexpr std::uint64_t kBytes = kCells * kCells * sizeof(double);
  constexpr std::uint64_t kSteps = 20;
  CodedExchange exchange(context(), way(), one_way(context().size(), kCells));
  std::string wrong = exchange.other_way();
  ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  wrong = exchange.run(0);  // connects
  MPI_Barrier(MPI_COMM_WORLD);
  std::array<std::uint64_t, kDevices.size()> before{};
  for (std::size_t i = 0; i < before.size(); ++i) before[i] = packets_sent_by(kDevices[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  for (std::uint64_t step = 1; step <= kSteps && wrong.empty(); ++step) wrong = exchange.run(step);
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  // One sender, whose first rail is the one device and whose second rail is the other.
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_GE(packets_sent_by(kDevices[i]) - before[i], kSteps * kBytes / 2 / kPacket) << kDevices[i];
}

// Rank 0's first part, and its header, are there long before what goes by the second rail.
TEST_P(RdmaRails, AMessageIsThereOnlyWhenItsLastPartIs) {
  CodedExchange large(context(), way(), one_way(context().size(), 128));
  CodedExchange small(context(), way(), one_way(context().size(), 20));  // too small to be shared
  std::string wrong = large.run(0) + small.run(0);                       // connects
  ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  const HurtWire hurt("tc qdisc replace dev vb root netem delay 20ms");
  for (std::uint64_t step = 1; step <= 4 && wrong.empty(); ++step) wrong = large.run(step) + small.run(step);
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
}

TEST_P(RdmaRails, AnyDecompositionIsRight) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto problem = RandomCase::draw(seed * 11 + 300'000, context().size());
    ASSERT_EQ(wrong_in_case(MPI_COMM_WORLD, context(), way(), problem), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, RdmaRails, testing::Values(kVerbs, kGpuOverVerbs), name_of_way);

}  // namespace
}  // namespace halyard::test
