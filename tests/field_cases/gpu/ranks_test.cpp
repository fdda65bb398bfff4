// Fields on a GPU between real processes: R01 and R06 (mappings of a peer's memory), L07 (device pointers and MPI),
// ranks without cells, and what HaloExchange and Context find out by themselves.
#include "mpi/ranks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/emulated.hpp"
#include "device/factory.hpp"
#include "exchange/gpu/binding.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

using testing::HasSubstr;

class GpuRanks : public OnEveryWay {};

device::EmulatedDevice* emulated() { return dynamic_cast<device::EmulatedDevice*>(gpu_device().get()); }

// Each cycle frees the fields and takes new ones, on the emulated device at the very address of the old ones.
TEST_P(GpuRanks, R01_MemoryThatComesBackAtAnOldAddressIsMappedAnew) {
  const auto device = gpu_device();
  const auto num_cycles = static_cast<std::uint64_t>(gpu_thrift() == 4 ? 50 : 200);
  for (std::uint64_t cycle = 0; cycle < num_cycles; ++cycle) {
    const auto allocate = [&](std::size_t bytes) {
      if (cycle == 0 || emulated() == nullptr) return gpu_memory(device, device->current_gpu(), bytes);
      device::EmulatedMemory again;
      again.reuses_address = true;
      return std::shared_ptr<void>(emulated()->allocate_as(again, bytes),
                                   [device](void* memory) { device->deallocate(memory); });
    };
    CodedExchange exchange(context(), way(), small_halo(context().size()), allocate);
    std::string wrong = exchange.other_way();
    if (wrong.empty()) wrong = exchange.run(cycle);
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << "cycle " << cycle;
  }
}

TEST_P(GpuRanks, R06_EachMappingIsClosedOnceAndAllMemoryReturns) {
  if (emulated() == nullptr) GTEST_SKIP() << "only the emulated device counts mappings";
  const auto before = emulated()->counts();
  for (std::uint64_t cycle = 0; cycle < 20; ++cycle)
    ASSERT_EQ(wrong_in_case(MPI_COMM_WORLD, context(), way(), small_halo(context().size())), "");
  const auto after = emulated()->counts();
  EXPECT_EQ(after.opens - before.opens, after.closes - before.closes);
  EXPECT_EQ(after.allocations - before.allocations, after.deallocations - before.deallocations);
  if (way().path == Path::peer && context().size() > 1) {
    EXPECT_GE(after.opens - before.opens, 20U);
  }
}

TEST_P(GpuRanks, ARankWithoutCellsTakesPart) {
  const int num_ranks = context().size();
  if (num_ranks == 1) GTEST_SKIP() << "needs two ranks";
  const Box domain = Box::of_extent({4 * (num_ranks - 1), 3, 3});
  std::vector<Patch> patches;
  for (int rank = 0; rank < num_ranks - 1; ++rank) patches.push_back({rank, {{4 * rank, 0, 0}, {4 * rank + 4, 3, 3}}});
  const auto cells = Decomposition::patches(domain, num_ranks, patches);
  const auto problem = plain_case(cells, {true, true, true}, Width::all(1));
  EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, context(), way(), problem), "");
}

TEST_P(GpuRanks, RanksThatShareAGpuAreFoundAndSaid) {
  if (emulated() == nullptr) GTEST_SKIP() << "elsewhere ranks may have GPUs of their own";
  if (way().path != Path::peer) GTEST_SKIP() << "only between GPUs it decides the form";
  CodedExchange exchange(context(), way(), small_halo(context().size()));
  const std::string text = exchange.binding().explain();
  EXPECT_EQ(text.find("ranks share this GPU") != std::string::npos, context().size() > 1) << text;
  const std::string how = " ranks of this node use GPU 0: streams wait for neighbors, kernels do not (processes take";
  EXPECT_EQ(text.find(std::to_string(context().size()) + how) != std::string::npos, context().size() > 1) << text;
}

TEST_P(GpuRanks, L07_StreamOrderedExchangesReachTheNeighborsHoweverTheyTravel) {
  CodedExchange exchange(context(), way(), small_halo(context().size()));
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, exchange.other_way()), "");
  for (std::uint64_t step = 0; step < 10; ++step) ASSERT_EQ(first_wrong(MPI_COMM_WORLD, exchange.run(step)), "");
  const auto& binding = static_cast<GpuBinding&>(exchange.binding().core());
  // An emulated GPU's memory is reached by any NIC.
  const bool is_reached = way().path == Path::peer || (way().path == Path::verbs && emulated() != nullptr);
  const bool is_staged = !is_reached && context().size() > 1;
  EXPECT_EQ(binding.staged_bytes() > 0, is_staged);
}

TEST_P(GpuRanks, LargeStagedMessagesGoBetweenTheGpuAndTheBuffersOfTheirPath) {
  const int num_ranks = context().size();
  const auto cells = Decomposition::grid(Box::of_extent({4 * num_ranks, 96, 96}), {num_ranks, 1, 1});
  CodedExchange exchange(context(), way(), plain_case(cells, {true, true, true}, Width::all(1)));
  for (std::uint64_t step = 0; step < 3; ++step) ASSERT_EQ(first_wrong(MPI_COMM_WORLD, exchange.run(step)), "");
  const std::string text = exchange.binding().explain();
  const bool has_copies = (way().path == Path::shared || way().path == Path::mpi) && num_ranks > 1;
  const std::string form = " over " + std::string(name_of(way().path)) + " by copy engines";
  EXPECT_EQ(text.find(form) != std::string::npos, has_copies) << text;
  EXPECT_EQ(text.find("stop over"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Gpu, GpuRanks, testing::Values(kGpuPeer, kGpuStaged, kGpuOverMpi), name_of_way);
INSTANTIATE_TEST_SUITE_P(Rdma, GpuRanks, testing::ValuesIn(rdma_gpu_ways()), name_of_way);

Options with_a_gpu() {
  Options options;
  options.device = gpu_device_name();
  options.deadline_s = 40;
  return options;
}

TEST(GpuFields, HaloExchangeSeesByItselfWhereFieldsLie) {
  if (gpu_device() == nullptr) GTEST_SKIP() << device::open(gpu_device_name()).text;
  Context context(MPI_COMM_WORLD, with_a_gpu());
  const auto problem = small_halo(context.size());
  const Pattern pattern = box_halo(problem.halo, context.rank());
  RankFields fields(problem, pattern);
  GpuMirror mirror(gpu_device(), gpu_device()->current_gpu(), fields.views);
  HaloExchange halo(context, pattern, mirror.views());
  EXPECT_EQ(halo.plan().memory(), halyard::Memory::gpu);
  EXPECT_THAT(halo.explain(), HasSubstr("fields on GPU"));
  for (std::uint64_t step = 0; step < 3; ++step) {
    fields.fill(step);
    mirror.upload();
    const Status status = halo.forward().wait();
    mirror.download();
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, status.ok() ? fields.check(step) : status.text()), "");
  }
  HaloExchange on_host(context, pattern, fields.views);
  EXPECT_EQ(on_host.plan().memory(), halyard::Memory::host);
}

TEST(GpuFields, TheContextNamesTheGpu) {
  if (gpu_device() == nullptr) GTEST_SKIP() << device::open(gpu_device_name()).text;
  const Context context(MPI_COMM_WORLD, with_a_gpu());
  const std::string text = context.explain();
  EXPECT_THAT(text, HasSubstr("  GPU     "));
  EXPECT_THAT(text, HasSubstr(emulated() != nullptr ? "emulated GPU" : "GPU-")) << text;
  EXPECT_THAT(text, HasSubstr("  peer    open"));
}

}  // namespace
}  // namespace halyard::test
