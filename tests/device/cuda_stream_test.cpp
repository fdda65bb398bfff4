// Streams of the CUDA twin.
#include <gmock/gmock.h>

#include <array>
#include <thread>

#include "device/cuda_world.hpp"

namespace halyard::device::test {
namespace {

using ::testing::HasSubstr;

class CudaStream : public ::testing::Test {
 protected:
  ~CudaStream() override { cuda().destroy_stream(stream_); }
  cudaStream_t native() const { return static_cast<cudaStream_t>(stream_.native); }

  Stream stream_ = cuda().create_stream(0);
};

TEST_F(CudaStream, belongs_to_its_gpu_and_the_default_streams_to_all) {
  EXPECT_EQ(cuda().check_stream(stream_, 0).text(), "");
  EXPECT_THAT(cuda().check_stream(stream_, 1).text(), HasSubstr("it belongs to GPU 0"));
  for (const Stream each : std::array<Stream, 3>{Stream{}, Stream{cudaStreamLegacy}, Stream{cudaStreamPerThread}}) {
    EXPECT_TRUE(cuda().check_stream(each, 0).ok());
  }
}

TEST_F(CudaStream, is_idle_when_its_work_is_done) {
  const auto memory = allocated(0, 1 << 20);
  must(cudaMemsetAsync(memory.get(), 1, 1 << 20, native()));
  EXPECT_EQ(cuda().synchronize(stream_, 0).text(), "");
  EXPECT_TRUE(cuda().is_idle(stream_, 0));
  EXPECT_EQ(cuda().synchronize({}, 0).text(), "");
  EXPECT_EQ(read_int(memory.get()), 0x01010101);
}

TEST_F(CudaStream, keeps_its_capture_whatever_is_asked_of_it) {
  const auto memory = allocated(0, 1 << 20);
  must(cudaStreamBeginCapture(native(), cudaStreamCaptureModeGlobal));
  EXPECT_TRUE(cuda().is_capturing(stream_));
  EXPECT_FALSE(cuda().is_capturing({}));
  EXPECT_FALSE(cuda().synchronize(stream_, 0).ok());
  EXPECT_TRUE(cuda().is_idle(stream_, 0));
  EXPECT_TRUE(cuda().check_stream(stream_, 0).ok());
  must(cudaMemsetAsync(memory.get(), 2, 1 << 20, native()));
  // Set-up of another thread goes on meanwhile, and of this one too.
  std::thread([] { EXPECT_EQ(read_int(allocated(0, 4).get()), 0); }).join();
  EXPECT_EQ(read_int(allocated(0, 4).get()), 0);
  cudaGraph_t graph = nullptr;
  must(cudaStreamEndCapture(native(), &graph));
  EXPECT_FALSE(cuda().is_capturing(stream_));
  cudaGraphExec_t exec = nullptr;
  must(cudaGraphInstantiate(&exec, graph, 0));
  must(cudaGraphLaunch(exec, native()));
  EXPECT_TRUE(cuda().synchronize(stream_, 0).ok());
  EXPECT_EQ(read_int(memory.get()), 0x02020202);
  must(cudaGraphExecDestroy(exec));
  must(cudaGraphDestroy(graph));
}

TEST_F(CudaStream, of_another_gpu_is_recognized) {
  if (cuda().num_gpus() < 2) GTEST_SKIP() << "needs two GPUs";
  const Stream second = cuda().create_stream(1);
  EXPECT_TRUE(cuda().check_stream(second, 1).ok());
  EXPECT_THAT(cuda().check_stream(second, 0).text(), HasSubstr("it belongs to GPU 1"));
  EXPECT_TRUE(cuda().synchronize(second, 1).ok());
  EXPECT_EQ(cuda().current_gpu(), 0);
  cuda().destroy_stream(second);
}

}  // namespace
}  // namespace halyard::device::test
