// Method staged-mpi: what a code does by hand when its MPI does not take GPU memory.
//
// Pack kernel, copy to pinned host memory, synchronize, MPI_Isend and MPI_Irecv of host memory, copy back, unpack
// kernel. Two incoming host buffers in turn: the copy back of one exchange may run while the next receives.
#include "halo/cuda/handles.hpp"
#include "halo/cuda/methods/methods.hpp"
#include "halo/cuda/methods/mpi_messages.hpp"

namespace halyard::bench {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWantedTiles = 264;

class StagedMpi : public StreamMethod {
 public:
  explicit StagedMpi(const CudaInputs& inputs)
      : messages_(inputs, kThreads, kWantedTiles),
        mpi_(inputs.comm, messages_),
        packed_(allocate_device<double>(num_doubles())),
        arrived_(allocate_device<double>(num_doubles())),
        outgoing_(allocate_pinned<double>(num_doubles())),
        incoming_{allocate_pinned<double>(num_doubles()), allocate_pinned<double>(num_doubles())},
        pack_(messages_.pack_list(messages_.bases_in(packed_.get()))),
        unpack_(messages_.unpack_list(arrived_.get())) {}

  void enqueue(cudaStream_t stream) override {
    turn_ ^= 1;
    double* incoming = incoming_[turn_].get();
    mpi_.post_receives(incoming);
    launch_copies(pack_, messages_.tiling(), stream);
    copy(outgoing_.get(), packed_.get(), cudaMemcpyDeviceToHost, stream);
    check_cuda(cudaStreamSynchronize(stream), "pack and copy to the host");
    mpi_.post_sends(outgoing_.get());
    mpi_.wait();
    copy(arrived_.get(), incoming, cudaMemcpyHostToDevice, stream);
    launch_copies(unpack_, messages_.tiling(), stream);
  }

  std::string path() const override { return "staged"; }

 private:
  std::size_t num_doubles() const { return static_cast<std::size_t>(messages_.num_cells() + 1); }

  void copy(double* to, const double* from, cudaMemcpyKind kind, cudaStream_t stream) const {
    check_cuda(cudaMemcpyAsync(to, from, messages_.num_bytes(), kind, stream), "cudaMemcpyAsync");
  }

  Messages messages_;
  MpiMessages mpi_;
  DeviceArray<double> packed_;
  DeviceArray<double> arrived_;
  PinnedArray<double> outgoing_;
  PinnedArray<double> incoming_[2];
  CopyList pack_;
  CopyList unpack_;
  unsigned turn_ = 0;
};

}  // namespace

std::unique_ptr<StreamMethod> make_staged_mpi(const CudaInputs& inputs) { return std::make_unique<StagedMpi>(inputs); }

}  // namespace halyard::bench
