// Method nvshmem: one fused kernel that packs into the peer's landing buffer, signals, waits and unpacks.
//
// Block b packs its tiles straight into the peer's symmetric buffer (nvshmem_ptr, where put and signal would
// copy twice), fences, and sets its signal at each peer with nvshmemx_signal_op; it waits for the signals of the
// blocks b of its peers and unpacks the tiles that they packed. Two landing buffers in turn: a peer that signals
// exchange n has finished exchange n - 1, so slot n % 2 is free again. Sequence numbers lie in GPU memory, one a
// block, so that a captured graph can be replayed.
#include <nvshmem.h>
#include <nvshmemx.h>

#include <algorithm>
#include <cstdlib>

#include "halo/cuda/handles.hpp"
#include "halo/cuda/kernels/copy_share.cuh"
#include "halo/cuda/messages.hpp"
#include "halo/cuda/methods/methods.hpp"
#include "halyard/status.hpp"

namespace halyard::bench {
namespace {

constexpr std::uint32_t kThreads = 512;
constexpr std::uint32_t kMostBlocks = 256;
constexpr int kTag = 102;

/// What every block needs beside its boxes.
struct Signals {
  std::uint64_t* signals = nullptr;    // symmetric: [rank of the sender][block]
  std::uint64_t* sequences = nullptr;  // this GPU's: [block]
  int peers[kMostBoxes] = {};
  std::uint32_t num_peers = 0;
  int rank = 0;
};

template <class List>
struct FusedExchange {
  List pack;    // to the peers' landing buffers
  List unpack;  // from one's own
  Signals at;
};

__device__ std::uint64_t* signal_of(const Signals& x, int rank) {
  return x.signals + static_cast<std::size_t>(rank) * kMostBlocks + blockIdx.x;
}

// Each of the first threads sees to one peer. The fences are of system scope: data before the signal, signal before
// data.
__device__ void signal_peers(const Signals& x, std::uint64_t sequence) {
  __syncthreads();
  if (threadIdx.x < x.num_peers) {
    __threadfence_system();
    nvshmemx_signal_op(signal_of(x, x.rank), sequence, NVSHMEM_SIGNAL_SET, x.peers[threadIdx.x]);
  }
}

__device__ void await_peers(const Signals& x, std::uint64_t sequence) {
  __syncwarp();
  if (threadIdx.x < x.num_peers) {
    nvshmem_signal_wait_until(signal_of(x, x.peers[threadIdx.x]), NVSHMEM_CMP_GE, sequence);
    __threadfence_system();
  }
  __syncthreads();
}

template <int kCellsPerThread, class List>
__global__ void __launch_bounds__(kThreads) fused_kernel(const __grid_constant__ FusedExchange<List> x) {
  const std::uint64_t sequence = x.at.sequences[blockIdx.x] + 1;
  const std::int64_t odd = static_cast<std::int64_t>(sequence & 1);
  copy_share<kCellsPerThread>(x.pack, blockIdx.x, gridDim.x, odd);
  signal_peers(x.at, sequence);
  await_peers(x.at, sequence);
  copy_share<kCellsPerThread>(x.unpack, blockIdx.x, gridDim.x, odd);
  if (threadIdx.x == 0) x.at.sequences[blockIdx.x] = sequence;
}

// data path
template <class List>
void launch_fused(const FusedExchange<List>& x, std::uint32_t cells_per_thread, std::uint32_t blocks,
                  cudaStream_t stream) {
  switch (cells_per_thread) {
    case 8:
      fused_kernel<8><<<blocks, kThreads, 0, stream>>>(x);
      break;
    case 4:
      fused_kernel<4><<<blocks, kThreads, 0, stream>>>(x);
      break;
    case 2:
      fused_kernel<2><<<blocks, kThreads, 0, stream>>>(x);
      break;
    default:
      fused_kernel<1><<<blocks, kThreads, 0, stream>>>(x);
  }
  check_cuda(cudaGetLastError(), "launch of the fused kernel");
}

/// NVSHMEM itself: started once per process, over MPI.
class Session {
 public:
  explicit Session(MPI_Comm comm) : comm_(comm) {
    setenv("NVSHMEM_DISABLE_NVLS", "1", 0);
    (void)cudaGetLastError();  // NVSHMEM takes what another library left there for its own failure
    nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
    attributes.mpi_comm = &comm_;
    if (nvshmemx_init_attr(NVSHMEMX_INIT_WITH_MPI_COMM, &attributes) != 0)
      throw Error(StatusCode::transport_failed, "nvshmemx_init_attr failed; NVSHMEM_DEBUG=INFO says why");
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() { nvshmem_finalize(); }

 private:
  MPI_Comm comm_;
};

void start_once(const CudaInputs& inputs) {
  static std::weak_ptr<Session> running;
  if (!running.expired()) return;
  const auto session = std::make_shared<Session>(inputs.comm);
  running = session;
  inputs.run.sessions.push_back(session);
}

struct FreeSymmetric {
  void operator()(void* memory) const { nvshmem_free(memory); }
};
template <class T>
using SymmetricArray = std::unique_ptr<T[], FreeSymmetric>;

template <class T>
SymmetricArray<T> allocate_symmetric(std::size_t count) {
  (void)cudaGetLastError();  // as above
  auto* memory = static_cast<T*>(nvshmem_calloc(count, sizeof(T)));
  if (!memory) throw Error(StatusCode::out_of_resources, "nvshmem_calloc failed; raise NVSHMEM_SYMMETRIC_SIZE");
  return SymmetricArray<T>(memory);
}

class Nvshmem : public StreamMethod {
 public:
  explicit Nvshmem(const CudaInputs& inputs)
      : messages_(inputs, kThreads, num_multiprocessors(inputs.run.gpu.device)),
        slot_(messages_.num_cells()),
        landing_(allocate_symmetric<double>(static_cast<std::size_t>(2 * slot_ + 2))),
        signals_(allocate_symmetric<std::uint64_t>(static_cast<std::size_t>(nvshmem_n_pes()) * kMostBlocks)),
        sequences_(allocate_device<std::uint64_t>(kMostBlocks)) {
    x_.pack = messages_.pack_list(landing_at_peers(inputs.comm), slot_);
    x_.unpack = messages_.unpack_list(landing_.get(), slot_);
    x_.at.signals = signals_.get();
    x_.at.sequences = sequences_.get();
    x_.at.rank = nvshmem_my_pe();
    for (const Messages::Part& part : messages_.parts()) x_.at.peers[x_.at.num_peers++] = part.rank;
    const std::uint32_t most = std::min(kMostBlocks, num_multiprocessors(inputs.run.gpu.device));
    num_blocks_ = std::clamp(std::max(x_.pack.num_tiles, x_.unpack.num_tiles), 1U, most);
    is_faces_ = fits_faces(x_.pack) && fits_faces(x_.unpack);
    faces_ = {faces_of(x_.pack), faces_of(x_.unpack), x_.at};
    nvshmem_barrier_all();
    // NVSHMEM ends its own start-up in the first launch, which it cannot do while a stream is captured.
    Nvshmem::enqueue(nullptr);
    check_cuda(cudaStreamSynchronize(nullptr), "first fused exchange");
  }

  void enqueue(cudaStream_t stream) override {
    const std::uint32_t cells = messages_.tiling().cells_per_thread;
    if (is_faces_)
      launch_fused(faces_, cells, num_blocks_, stream);
    else
      launch_fused(x_, cells, num_blocks_, stream);
  }

  std::string path() const override { return "nvshmem"; }

 private:
  static std::uint32_t num_multiprocessors(int device) {
    int found = 1;
    check_cuda(cudaDeviceGetAttribute(&found, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    return static_cast<std::uint32_t>(found);
  }

  /// Where this rank's message begins in each peer's landing buffer, as this GPU can store to it.
  std::vector<double*> landing_at_peers(MPI_Comm comm) const {
    std::vector<double*> bases;
    for (const Messages::Part& part : messages_.parts()) {
      std::int64_t there = 0;
      MPI_Sendrecv(&part.offset, 1, MPI_INT64_T, part.rank, kTag, &there, 1, MPI_INT64_T, part.rank, kTag, comm,
                   MPI_STATUS_IGNORE);
      auto* mapped = static_cast<double*>(nvshmem_ptr(landing_.get(), part.rank));
      if (!mapped) throw Error(StatusCode::not_supported, "nvshmem_ptr: a peer's memory cannot be mapped");
      bases.push_back(mapped + there);
    }
    return bases;
  }

  Messages messages_;
  std::int64_t slot_;  // doubles of one of the two landing buffers
  SymmetricArray<double> landing_;
  SymmetricArray<std::uint64_t> signals_;
  DeviceArray<std::uint64_t> sequences_;
  FusedExchange<CopyList> x_;
  FusedExchange<FaceList> faces_;
  bool is_faces_ = false;
  std::uint32_t num_blocks_ = 1;
};

}  // namespace

std::unique_ptr<StreamMethod> make_nvshmem(const CudaInputs& inputs) {
  if (inputs.run.gpu.is_shared)
    throw Error(StatusCode::not_supported, "NVSHMEM takes one rank a GPU without MPS; ranks share GPUs here");
  start_once(inputs);
  return std::make_unique<Nvshmem>(inputs);
}

}  // namespace halyard::bench
