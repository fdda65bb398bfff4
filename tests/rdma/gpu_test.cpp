// Fields in GPU memory over the wire of the VM: whose memory the NIC touches, that arrivals are flushed (field case
// Y06), and that a captured graph holds exchanges between processes. Which ghosts are right is asked by mpi_conformance
// and gpu_ranks. The GPU is the emulated one, whose memory the host cannot touch.
#include <gtest/gtest.h>

#include "device/emulated.hpp"
#include "exchange/gpu/binding.hpp"
#include "mpi/ranks.hpp"
#include "mpi/small_halo.hpp"

namespace halyard::test {
namespace {

class RdmaGpu : public OnEveryWay {
 protected:
  void SetUp() override {
    OnEveryWay::SetUp();
    device_ = std::dynamic_pointer_cast<device::EmulatedDevice>(gpu_device());
    if (!IsSkipped() && device_ == nullptr) GTEST_SKIP() << "asks the emulated device what happened";
  }

  bool reaches_gpu() const { return way().path == Path::verbs; }
  static const GpuBinding& core_of(CodedExchange& exchange) {
    return static_cast<const GpuBinding&>(exchange.binding().core());
  }

  std::shared_ptr<device::EmulatedDevice> device_;
};

TEST_P(RdmaGpu, Y06EachArrivalInGpuMemoryIsFlushedAndNoByteOfItIsStaged) {
  constexpr std::uint64_t kSteps = 10;
  CodedExchange exchange(context(), way(), small_halo(context().size()));
  const std::uint64_t before = device_->counts().flushes;
  std::string wrong = exchange.other_way();
  for (std::uint64_t step = 0; step < kSteps && wrong.empty(); ++step) wrong = exchange.run(step);
  ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  EXPECT_EQ(device_->counts().flushes - before, reaches_gpu() ? kSteps : 0);
  EXPECT_EQ(core_of(exchange).staged_bytes() == 0, reaches_gpu());
}

TEST_P(RdmaGpu, ACapturedExchangeIsRightEachTimeItIsReplayed) {
  CodedExchange exchange(context(), way(), small_halo(context().size()));
  const int gpu = device_->current_gpu();
  const Stream stream = device_->create_stream(gpu);
  for (const bool is_one_launch : {true, false}) {
    device_->begin_capture(stream);
    Transfer transfer =
        is_one_launch ? exchange.binding().forward_and_wait_on(stream) : exchange.binding().forward(stream);
    Status status = is_one_launch ? Status{} : transfer.wait_on(stream);
    const auto graph = device_->end_capture(stream);
    std::string wrong = status.text();
    for (std::uint64_t step = 0; step < 6 && wrong.empty(); ++step)
      wrong = exchange.run_by(step, [&] {
        device_->replay(graph, stream);
        return device_->synchronize(stream, gpu);
      });
    ASSERT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "") << (is_one_launch ? "one launch" : "two launches");
  }
  device_->destroy_stream(stream);
}

// Two are started before the first is finished, so that landing memory is given back late and credits are needed.
TEST_P(RdmaGpu, TwoExchangesInFlightOnAStreamEndInOrder) {
  CodedExchange exchange(context(), way(), small_halo(context().size(), 4));
  const Stream stream = device_->create_stream(device_->current_gpu());
  std::string wrong;
  for (std::uint64_t step = 0; step < 30 && wrong.empty(); ++step)
    wrong = exchange.run_by(step, [&] {
      Transfer first = exchange.binding().forward(stream);
      Transfer second = exchange.binding().forward(stream);
      if (const Status status = first.wait_on(stream); !status.ok()) return status;
      return second.wait();
    });
  EXPECT_EQ(first_wrong(MPI_COMM_WORLD, wrong), "");
  device_->destroy_stream(stream);
}

TEST_P(RdmaGpu, StagingThatIsForbiddenIsRefusedOnlyWhereBytesWouldBeStaged) {
  Options options = options_of(way());
  options.allow_staging = false;
  Context strict(MPI_COMM_WORLD, options);
  const auto bind = [&] { CodedExchange(strict, way(), small_halo(strict.size())).run(0); };
  const auto error = error_of(bind);
  EXPECT_EQ(error.has_value(), !reaches_gpu());
  if (error) {
    EXPECT_NE(error->text().find("GPU memory over ucx: it carries host memory only"), std::string::npos)
        << error->text();
  }
}

INSTANTIATE_TEST_SUITE_P(Rdma, RdmaGpu, testing::ValuesIn(rdma_gpu_ways()), name_of_way);

}  // namespace
}  // namespace halyard::test
