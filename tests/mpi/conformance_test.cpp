// The same questions to every path between real processes: is each ghost right, whatever the decomposition, layout and
// transport? Random problems here, all combinations of the small dimensions in sweep_test.cpp.
#include <gtest/gtest.h>

#include "mpi/coded_exchange.hpp"
#include "mpi/ranks.hpp"

namespace halyard::test {
namespace {

class Conformance : public OnEveryWay {};

// x 5 ways; fewer where ranks share cores, since then each collective of set-up costs more.
std::uint64_t num_seeds(int num_ranks) { return num_ranks <= 2 ? 80 : num_ranks <= 4 ? 60 : 40; }

TEST_P(Conformance, EveryGhostHoldsItsOwnersCodeAndNothingElseIsTouched) {
  const int num_ranks = size_of(MPI_COMM_WORLD);
  if (way().is_on_gpu() && num_ranks > 4) GTEST_SKIP() << "fields on a GPU are tested on 1 to 4 ranks";
  const auto thrift =
      static_cast<std::uint64_t>(way().is_on_gpu() ? gpu_thrift() * machine_thrift() : machine_thrift());
  for (std::uint64_t seed = 0; seed < num_seeds(num_ranks) / thrift; ++seed) {
    const auto problem = RandomCase::draw(seed * 7 + 100'000, num_ranks);
    ASSERT_EQ(wrong_in_case(MPI_COMM_WORLD, context(), way(), problem), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, Conformance, testing::ValuesIn(kWays), name_of_way);
INSTANTIATE_TEST_SUITE_P(Rdma, Conformance, testing::ValuesIn(rdma_ways()), name_of_way);
INSTANTIATE_TEST_SUITE_P(Gpu, Conformance, testing::ValuesIn(kGpuWays), name_of_way);
INSTANTIATE_TEST_SUITE_P(RdmaGpu, Conformance, testing::ValuesIn(rdma_gpu_ways()), name_of_way);

}  // namespace
}  // namespace halyard::test
