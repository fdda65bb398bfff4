// Bad input about fields on a GPU: each a clear error, the same on every rank, after which the context still works.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr auto kOnHost = halyard::Memory::host;
constexpr auto kOnGpu = halyard::Memory::gpu;

class GpuBadInput : public OnEveryWay {
 protected:
  void SetUp() override {
    OnEveryWay::SetUp();
    if (IsSkipped()) return;
    device_ = gpu_device();
    fields_.emplace(problem_, pattern_);
    mirror_.emplace(device_, 0, fields_->views);
  }
  void TearDown() override {
    if (!IsSkipped()) {
      EXPECT_EQ(wrong_in_case(MPI_COMM_WORLD, context(), way(), problem_), "") << "afterwards";
    }
    mirror_.reset();
    OnEveryWay::TearDown();
  }

  Plan plan(halyard::Memory memory) {
    const auto any = PathFacts::uniform(Path::mpi, context().rank(), context().size());
    return Plan(pattern_, fields_->shapes, memory == kOnGpu ? context().facts() : any, memory);
  }
  std::string not_refused(const std::vector<std::string>& words, halyard::Memory memory,
                          const std::vector<FieldView>& views) {
    return not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, words,
                             [&] { Binding(context(), plan(memory), views); });
  }
  /// What a binding of the good fields says to a misuse.
  Binding good() { return Binding(context(), plan(kOnGpu), mirror_->views()); }

  static RandomCase two_fields() {
    RandomCase problem = small_halo(size_of(MPI_COMM_WORLD));
    problem.fields.assign(2, Storing{});
    return problem;
  }

  RandomCase problem_ = two_fields();
  Pattern pattern_ = box_halo(problem_.halo, rank_of(MPI_COMM_WORLD));
  std::shared_ptr<device::Device> device_;
  std::optional<RankFields> fields_;
  std::optional<GpuMirror> mirror_;
};

TEST_P(GpuBadInput, DevicePointersWithAPlanForHostMemory) {
  EXPECT_EQ(not_refused({"fields in GPU memory", "plan for host memory", "Memory::gpu"}, kOnHost, mirror_->views()),
            "");
}

TEST_P(GpuBadInput, HostPointersWithAPlanForGpuMemory) {
  EXPECT_EQ(not_refused({"fields in host memory", "plan for GPU memory", "Memory::host"}, kOnGpu, fields_->views), "");
}

TEST_P(GpuBadInput, OneFieldOnTheGpuAndOneOnTheHost) {
  auto views = mirror_->views();
  views[1] = fields_->views[1];
  for (const auto memory : {kOnGpu, kOnHost})
    EXPECT_EQ(
        not_refused({"'coded0' lies on GPU 0, others in host memory", "one binding for each kind"}, memory, views), "");
}

TEST_P(GpuBadInput, FieldsOnTwoGpus) {
  if (device_->num_gpus() < 2) GTEST_SKIP() << "there is one GPU";
  const GpuMirror other(device_, 1, fields_->views);
  auto views = mirror_->views();
  views[1] = other.views()[1];
  EXPECT_EQ(not_refused({"'coded0' and 'coded1'", "GPUs 0 and 1", "one binding per GPU"}, kOnGpu, views), "");
}

TEST_P(GpuBadInput, MemoryThatWasFreed) {
  auto views = mirror_->views();
  mirror_.reset();
  const bool is_emulated = device_->kind() == "emulated";
  EXPECT_EQ(not_refused({is_emulated ? "it was freed" : "host memory"}, kOnGpu, views), "");
}

TEST_P(GpuBadInput, AFieldThatReachesPastItsAllocation) {
  auto views = mirror_->views();
  const std::size_t whole = 4 << 20;  // the CUDA twin gives whole blocks of 2 MiB
  const auto memory = gpu_memory(device_, 0, whole);
  views[0].data = static_cast<std::byte*>(memory.get()) + whole - 64;
  EXPECT_EQ(not_refused({"'coded0'", "bytes past the end of its allocation of"}, kOnGpu, views), "");
}

TEST_P(GpuBadInput, AStreamOfAnotherGpu) {
  if (device_->num_gpus() < 2) GTEST_SKIP() << "there is one GPU";
  Binding binding = good();
  const Stream other = device_->create_stream(1);
  const Status status = binding.forward(other).wait();
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_THAT(status.text(), HasSubstr("stream of another GPU"));
  Transfer transfer = binding.forward();
  EXPECT_THAT(transfer.wait_on(other).text(), HasSubstr("stream of another GPU"));
  EXPECT_TRUE(transfer.wait().ok()) << "nothing was broken";
  device_->destroy_stream(other);
}

TEST_P(GpuBadInput, AStreamThatIsNone) {
  if (device_->kind() != "emulated") GTEST_SKIP() << "CUDA itself crashes on a handle that is none";
  Binding binding = good();
  int none = 0;
  const Status status = binding.forward_and_wait_on(Stream(&none)).wait();
  EXPECT_EQ(status.code(), StatusCode::invalid_argument) << status.text();
  EXPECT_TRUE(binding.forward().wait().ok());
}

TEST_P(GpuBadInput, ThreeExchangesInFlight) {
  Binding binding = good();
  const Stream stream = device_->create_stream(0);
  Transfer first = binding.forward(stream);
  Transfer second = binding.forward(stream);
  Transfer third = binding.forward(stream);
  EXPECT_THAT(third.wait().text(), HasSubstr("2 of this binding are in flight already"));
  EXPECT_TRUE(first.wait().ok());
  EXPECT_TRUE(second.wait().ok());
  device_->destroy_stream(stream);
}

TEST_P(GpuBadInput, FinishingOutOfOrder) {
  Binding binding = good();
  const Stream stream = device_->create_stream(0);
  Transfer first = binding.forward(stream);
  Transfer second = binding.forward(stream);
  EXPECT_THAT(second.wait_on(stream).text(),
              AllOf(HasSubstr("finish exchange 2 before exchange 1"), HasSubstr("in the order in which they started")));
  EXPECT_TRUE(first.wait_on(stream).ok());
  EXPECT_TRUE(second.wait_on(stream).ok());
  EXPECT_TRUE(second.wait().ok());
  EXPECT_TRUE(first.wait().ok());
  device_->destroy_stream(stream);
}

TEST_P(GpuBadInput, WaitingForARankThatIsNoNeighbor) {
  Binding binding = good();
  Transfer transfer = binding.forward();
  EXPECT_THAT(transfer.wait_on(4711).text(), HasSubstr("wait on rank 4711: it is no neighbor"));
  EXPECT_TRUE(transfer.wait().ok());
}

TEST_P(GpuBadInput, AReductionOfOpaqueElements) {
  problem_.fields.assign(1, Storing{ElementType::opaque(8)});
  CodedExchange exchange(context(), way(), problem_);
  const Status status = exchange.binding().reverse(Stream{}).wait();
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_THAT(status.text(), HasSubstr("opaque elements"));
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, exchange.run(1)), "") << "forward still works";
}

TEST_P(GpuBadInput, AReductionOfCellsThatAreNotAlignedToTheirScalars) {
  auto views = mirror_->views();
  std::vector<std::shared_ptr<void>> memory;
  for (FieldView& view : views) {
    memory.push_back(gpu_memory(device_, 0, 1 << 16));
    view.data = static_cast<std::byte*>(memory.back().get()) + 4;
  }
  Binding binding(context(), plan(kOnGpu), views);
  const Status status = binding.reverse().wait();
  EXPECT_EQ(status.code(), StatusCode::invalid_argument);
  EXPECT_THAT(status.text(), HasSubstr("not aligned to their scalar type"));
  EXPECT_TRUE(binding.forward().wait().ok());
}

TEST_P(GpuBadInput, AStreamWithFieldsOnTheHost) {
  Options options = options_of(kMailbox);
  Context context(MPI_COMM_WORLD, options);
  Binding binding(context, Plan(pattern_, fields_->shapes, context.facts()), fields_->views);
  int any = 0;
  EXPECT_THAT(binding.forward(Stream(&any)).wait().text(), HasSubstr("fields in host memory"));
  EXPECT_THAT(binding.reverse_and_wait_on(Stream(&any)).wait().text(), HasSubstr("without a stream"));
  Transfer transfer = binding.forward();
  EXPECT_THAT(transfer.wait_on(Stream(&any)).text(), HasSubstr("fields in host memory"));
  EXPECT_TRUE(transfer.wait().ok());
}

TEST_P(GpuBadInput, APlanForGpuMemoryWithoutAGpu) {
  Options options;
  options.device = "none";
  if (std::getenv("HALYARD_DEVICE") != nullptr) GTEST_SKIP() << "HALYARD_DEVICE decides";
  Context context(MPI_COMM_WORLD, options);
  const auto bind = [&] { Binding(context, Plan(pattern_, fields_->shapes, context.facts(), kOnGpu), fields_->views); };
  EXPECT_EQ(
      not_refused_alike(MPI_COMM_WORLD, StatusCode::invalid_argument, {"host memory", "plan for GPU memory"}, bind),
      "");
}

INSTANTIATE_TEST_SUITE_P(Gpu, GpuBadInput, testing::ValuesIn(kGpuWays), name_of_way);

}  // namespace
}  // namespace halyard::test
