// Method nccl: pack kernel, ncclSend and ncclRecv of all peers in one group, unpack kernel; all in the stream.
#include <nccl.h>

#include "halo/cuda/handles.hpp"
#include "halo/cuda/messages.hpp"
#include "halo/cuda/methods/methods.hpp"
#include "halyard/status.hpp"

namespace halyard::bench {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWantedTiles = 264;

void check_nccl(ncclResult_t code, const char* tried) {
  if (code == ncclSuccess || code == ncclInProgress) return;
  throw Error(StatusCode::transport_failed, std::string(tried) + ": " + ncclGetErrorString(code));
}

struct DestroyComm {
  void operator()(ncclComm_t comm) const { ncclCommDestroy(comm); }
};
using OwnedComm = std::unique_ptr<ncclComm, DestroyComm>;

OwnedComm make_comm(MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  ncclUniqueId id{};
  ncclResult_t code = rank == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm);
  MPI_Bcast(&code, sizeof code, MPI_BYTE, 0, comm);
  check_nccl(code, "ncclGetUniqueId");
  ncclComm_t made = nullptr;
  check_nccl(ncclCommInitRank(&made, size, id, rank), "ncclCommInitRank");
  return OwnedComm(made);
}

class Nccl : public StreamMethod {
 public:
  explicit Nccl(const CudaInputs& inputs)
      : messages_(inputs, kThreads, kWantedTiles),
        comm_(make_comm(inputs.comm)),
        outgoing_(allocate_device<double>(static_cast<std::size_t>(messages_.num_cells() + 1))),
        incoming_(allocate_device<double>(static_cast<std::size_t>(messages_.num_cells() + 1))),
        pack_(messages_.pack_list(messages_.bases_in(outgoing_.get()))),
        unpack_(messages_.unpack_list(incoming_.get())) {}

  void enqueue(cudaStream_t stream) override {
    launch_copies(pack_, messages_.tiling(), stream);
    check_nccl(ncclGroupStart(), "ncclGroupStart");
    for (const Messages::Part& part : messages_.parts()) {
      const auto count = static_cast<std::size_t>(part.cells);
      check_nccl(ncclSend(outgoing_.get() + part.offset, count, ncclFloat64, part.rank, comm_.get(), stream),
                 "ncclSend");
      check_nccl(ncclRecv(incoming_.get() + part.offset, count, ncclFloat64, part.rank, comm_.get(), stream),
                 "ncclRecv");
    }
    check_nccl(ncclGroupEnd(), "ncclGroupEnd");
    launch_copies(unpack_, messages_.tiling(), stream);
  }

  std::string path() const override { return "nccl"; }

 private:
  Messages messages_;
  OwnedComm comm_;
  DeviceArray<double> outgoing_;
  DeviceArray<double> incoming_;
  CopyList pack_;
  CopyList unpack_;
};

}  // namespace

std::unique_ptr<StreamMethod> make_nccl(const CudaInputs& inputs) {
  if (inputs.run.gpu.is_shared)
    throw Error(StatusCode::not_supported, "NCCL takes one rank a GPU; ranks share GPUs here");
  return std::make_unique<Nccl>(inputs);
}

}  // namespace halyard::bench
