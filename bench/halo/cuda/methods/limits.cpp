// Methods limit-copy, limit-launch, limit-flag: what no exchange can beat, measured beside the exchanges.
//
// limit-copy: cudaMemcpyAsync of the case's bytes to the peers, all ranks at once, no signal, no pack.
// limit-launch: an empty kernel. limit-flag: one way of a flag between the GPUs of two ranks, inside one kernel.
#include "halo/cuda/kernels/limits.hpp"

#include <algorithm>

#include "halo/cuda/handles.hpp"
#include "halo/cuda/messages.hpp"
#include "halo/cuda/methods/methods.hpp"
#include "halo/cuda/peer_memory.hpp"
#include "halyard/status.hpp"

namespace halyard::bench {
namespace {

constexpr std::size_t kWholeAllocation = std::size_t{2} << 20;  // below it, allocations share what IPC maps

class Limit : public StreamMethod {
 public:
  std::string path() const override { return "-"; }
  GhostSource source() const override { return GhostSource::nothing; }
};

std::vector<int> ranks_of(const Messages& messages) {
  std::vector<int> ranks;
  for (const Messages::Part& part : messages.parts()) ranks.push_back(part.rank);
  return ranks;
}

// All messages of a rank go to the start of the peer's buffer: nobody reads them.
class CopyToPeers : public Limit {
 public:
  explicit CopyToPeers(const CudaInputs& inputs)
      : messages_(inputs, 1, 1),
        from_(allocate_device<std::byte>(num_bytes())),
        to_(allocate_device<std::byte>(num_bytes())),
        peers_(inputs.comm, to_.get(), ranks_of(messages_)) {}

  void enqueue(cudaStream_t stream) override {
    for (const Messages::Part& part : messages_.parts())
      check_cuda(
          cudaMemcpyAsync(peers_.of<std::byte>(part.rank), from_.get(),
                          static_cast<std::size_t>(part.cells) * sizeof(double), cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync to the peer");
  }

 private:
  std::size_t num_bytes() const { return std::max(messages_.num_bytes(), kWholeAllocation); }

  Messages messages_;
  DeviceArray<std::byte> from_;
  DeviceArray<std::byte> to_;
  PeerMemory peers_;
};

class EmptyLaunch : public Limit {
 public:
  void enqueue(cudaStream_t stream) override { launch_empty(stream); }
  std::string_view memory() const override { return kNoMemory; }
};

int partner_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank ^ 1;
}

class Flag : public Limit {
 public:
  explicit Flag(const CudaInputs& inputs)
      : words_(allocate_device<std::uint64_t>(kWholeAllocation / sizeof(std::uint64_t))),
        peers_(inputs.comm, words_.get(), {partner_of(inputs.comm)}) {
    constexpr std::size_t kCountAt = 32;  // on a line of its own
    const int partner = partner_of(inputs.comm);
    ping_pong_ = {words_.get(), peers_.of<std::uint64_t>(partner), words_.get() + kCountAt, kTrips, partner % 2 == 1};
  }

  void enqueue(cudaStream_t stream) override { launch_ping_pong(ping_pong_, stream); }
  double num_per_enqueue() const override { return 2.0 * kTrips; }
  std::string_view memory() const override { return kNoMemory; }

 private:
  static constexpr int kTrips = 500;

  DeviceArray<std::uint64_t> words_;
  PeerMemory peers_;
  PingPong ping_pong_;
};

}  // namespace

std::unique_ptr<StreamMethod> make_limit_copy(const CudaInputs& inputs) {
  if (!inputs.run.gpu.is_one_node) throw Error(StatusCode::not_supported, "ranks are on several nodes");
  return std::make_unique<CopyToPeers>(inputs);
}

std::unique_ptr<StreamMethod> make_limit_launch(const CudaInputs&) { return std::make_unique<EmptyLaunch>(); }

std::unique_ptr<StreamMethod> make_limit_flag(const CudaInputs& inputs) {
  const Gpu& gpu = inputs.run.gpu;
  if (!gpu.is_one_node || gpu.is_shared || gpu.num_local_ranks % 2 != 0)
    throw Error(StatusCode::not_supported, "needs pairs of ranks on one node, each with a GPU of its own");
  return std::make_unique<Flag>(inputs);
}

}  // namespace halyard::bench
