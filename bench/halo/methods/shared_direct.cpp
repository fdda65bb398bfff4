// Method f: shared direct copy written by hand. Fields lie in a shared window; each rank copies the
// boxes it needs straight out of its neighbors' arrays.
//
// Protocol of exchange n, per rank:
//   1. ready := n (release)                       my owned cells may be read
//   2. copy own-rank halos
//   3. for each peer: await its ready >= n (acquire), copy its boxes, its done[me] := n (release)
//   4. await done[peer] >= n (acquire) of every peer      nobody reads my owned cells any more
// Step 4 of exchange n precedes step 1 of n + 1, so a peer never reads cells of two exchanges.
// Flags are 64-bit counts, each on a line of its own: ready is written by its owner, done[r] in my
// block by rank r.
#include <atomic>
#include <vector>

#include "common/shared_block.hpp"
#include "common/spin.hpp"
#include "halo/methods/copy_lists.hpp"
#include "halo/methods/methods.hpp"

namespace halyard::bench {
namespace {

struct PeerLink {
  const FlagLine* is_ready = nullptr;      // in the peer's block
  FlagLine* done_with_peer = nullptr;      // in the peer's block, mine to write
  const FlagLine* peer_is_done = nullptr;  // in my block
  std::vector<BoxCopy> copies;
};

class SharedDirect : public Method {
 public:
  explicit SharedDirect(const MethodInputs& inputs)
      : flag_bytes_(sizeof(FlagLine) * (1 + static_cast<std::size_t>(size_of(inputs.comm)))),
        array_bytes_(array_bytes(inputs.geometry)),
        num_fields_(static_cast<std::size_t>(inputs.geometry.bench_case.fields)),
        block_(inputs.comm, flag_bytes_ + num_fields_ * array_bytes_),
        fields_(inputs.geometry, arrays_of(inputs.geometry.rank)),
        own_(own_copies(inputs.geometry, fields_)),
        ready_(flags_of(inputs.geometry.rank)),
        waiter_(block_.num_ranks()) {
    use(fields_);
    for (const Peer& peer : peers_of(inputs.geometry)) peers_.push_back(make_link(inputs.geometry, peer));
  }

  void exchange() override {
    const std::uint64_t number = ++number_;
    ready_->value.store(number, std::memory_order_release);
    copy_boxes(own_);
    for (const PeerLink& peer : peers_) {
      waiter_.await(*peer.is_ready, number);
      copy_boxes(peer.copies);
      peer.done_with_peer->value.store(number, std::memory_order_release);
    }
    for (const PeerLink& peer : peers_) waiter_.await(*peer.peer_is_done, number);
  }

  std::string path() const override { return "shared window"; }
  std::string_view memory() const override { return "shared window"; }

 private:
  static int size_of(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    return size;
  }

  /// Line 0 is ready, line 1 + r is done by rank r.
  FlagLine* flags_of(int rank) const { return reinterpret_cast<FlagLine*>(block_.of(rank)); }

  std::vector<double*> arrays_of(int rank) const {
    std::vector<double*> arrays;
    for (std::size_t f = 0; f < num_fields_; ++f)
      arrays.push_back(reinterpret_cast<double*>(block_.of(rank) + flag_bytes_ + f * array_bytes_));
    return arrays;
  }

  PeerLink make_link(const Geometry& geometry, const Peer& peer) const {
    return {flags_of(peer.rank), flags_of(peer.rank) + 1 + geometry.rank, flags_of(geometry.rank) + 1 + peer.rank,
            direct_copies(geometry, peer.receives, arrays_of(peer.rank), fields_.arrays())};
  }

  std::size_t flag_bytes_;
  std::size_t array_bytes_;
  std::size_t num_fields_;
  SharedBlock block_;
  FieldSet fields_;
  std::vector<BoxCopy> own_;
  FlagLine* ready_;
  Waiter waiter_;
  std::vector<PeerLink> peers_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<Method> make_shared_direct(const MethodInputs& inputs) {
  return std::make_unique<SharedDirect>(inputs);
}

}  // namespace halyard::bench
