// Method cuda-mpi: pack kernel, stream synchronize, MPI_Isend and MPI_Irecv of GPU buffers, unpack kernel.
//
// One message a peer. Two receive buffers in turn, so that receives are posted while the unpack kernel of the
// exchange before may still run. Needs an MPI that takes GPU pointers: one that does not would read them on the
// host and crash, so the method asks first and is told by --mpi-cuda.
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "halo/cuda/handles.hpp"
#include "halo/cuda/methods/methods.hpp"
#include "halo/cuda/methods/mpi_messages.hpp"
#include "halyard/status.hpp"

namespace halyard::bench {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWantedTiles = 264;  // two blocks a multiprocessor of an H200

bool mpi_says_it_takes_gpu_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

void require_cuda_mpi(const CudaRun& run) {
  if (run.mpi_cuda == "no") throw Error(StatusCode::not_supported, "--mpi-cuda no");
  if (run.mpi_cuda == "auto" && !mpi_says_it_takes_gpu_memory())
    throw Error(StatusCode::not_supported, "MPI does not say that it takes GPU memory; --mpi-cuda yes if it does");
}

class CudaMpi : public StreamMethod {
 public:
  explicit CudaMpi(const CudaInputs& inputs)
      : messages_(inputs, kThreads, kWantedTiles),
        mpi_(inputs.comm, messages_),
        outgoing_(buffer()),
        incoming_{buffer(), buffer()},
        pack_(messages_.pack_list(messages_.bases_in(outgoing_.get()))),
        unpack_{messages_.unpack_list(incoming_[0].get()), messages_.unpack_list(incoming_[1].get())} {}

  void enqueue(cudaStream_t stream) override {
    turn_ ^= 1;
    mpi_.post_receives(incoming_[turn_].get());
    launch_copies(pack_, messages_.tiling(), stream);
    check_cuda(cudaStreamSynchronize(stream), "the pack kernel");
    mpi_.post_sends(outgoing_.get());
    mpi_.wait();
    launch_copies(unpack_[turn_], messages_.tiling(), stream);
  }

  std::string path() const override { return "mpi"; }

 private:
  DeviceArray<double> buffer() const {
    return allocate_device<double>(static_cast<std::size_t>(messages_.num_cells() + 1));
  }

  Messages messages_;
  MpiMessages mpi_;
  DeviceArray<double> outgoing_;
  DeviceArray<double> incoming_[2];
  CopyList pack_;
  CopyList unpack_[2];
  unsigned turn_ = 0;
};

}  // namespace

std::unique_ptr<StreamMethod> make_cuda_mpi(const CudaInputs& inputs) {
  require_cuda_mpi(inputs.run);
  return std::make_unique<CudaMpi>(inputs);
}

}  // namespace halyard::bench
