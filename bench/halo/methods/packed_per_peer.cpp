// Method best-mpi: one message per peer rank with all directions and fields; own-rank halos copied
// in place.
//
// Receives first, then pack and send peer by peer, own copies while messages travel, then each
// message unpacked as it arrives. The best that plain two-sided MPI gave in shared/baselines.md.
#include <vector>

#include "halo/methods/copy_lists.hpp"
#include "halo/methods/methods.hpp"

namespace halyard::bench {
namespace {

struct PeerMessages {
  int rank = 0;
  int count = 0;
  std::vector<double> outgoing;
  std::vector<double> incoming;
  std::vector<BoxCopy> packs;
  std::vector<BoxCopy> unpacks;
};

PeerMessages make_messages(const MethodInputs& inputs, const Peer& peer) {
  const std::int64_t count = peer.receive_cells() * inputs.geometry.bench_case.fields;
  PeerMessages made{peer.rank, mpi_count(count), {}, {}, {}, {}};
  made.outgoing.resize(static_cast<std::size_t>(count));
  made.incoming.resize(static_cast<std::size_t>(count));
  made.packs = pack_copies(inputs.geometry, peer.sends, inputs.user_fields, made.outgoing.data());
  made.unpacks = unpack_copies(inputs.geometry, peer.receives, inputs.user_fields, made.incoming.data());
  return made;
}

class PackedPerPeer : public Method {
 public:
  explicit PackedPerPeer(const MethodInputs& inputs)
      : Method(inputs.user_fields), comm_(inputs.comm), own_(own_copies(inputs.geometry, inputs.user_fields)) {
    for (const Peer& peer : peers_of(inputs.geometry)) peers_.push_back(make_messages(inputs, peer));
    receives_.resize(peers_.size());
    sends_.resize(peers_.size());
  }

  void exchange() override {
    for (std::size_t i = 0; i < peers_.size(); ++i)
      MPI_Irecv(peers_[i].incoming.data(), peers_[i].count, MPI_DOUBLE, peers_[i].rank, kTag, comm_, &receives_[i]);
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      copy_boxes(peers_[i].packs);
      MPI_Isend(peers_[i].outgoing.data(), peers_[i].count, MPI_DOUBLE, peers_[i].rank, kTag, comm_, &sends_[i]);
    }
    copy_boxes(own_);
    unpack_arrivals();
    MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
  }

  std::string path() const override { return "mpi, 1 a peer"; }

 private:
  static constexpr int kTag = 100;

  void unpack_arrivals() {
    for (std::size_t left = peers_.size(); left > 0; --left) {
      int arrived = 0;
      MPI_Waitany(static_cast<int>(receives_.size()), receives_.data(), &arrived, MPI_STATUS_IGNORE);
      copy_boxes(peers_[static_cast<std::size_t>(arrived)].unpacks);
    }
  }

  MPI_Comm comm_;
  std::vector<BoxCopy> own_;
  std::vector<PeerMessages> peers_;
  std::vector<MPI_Request> receives_;
  std::vector<MPI_Request> sends_;
};

}  // namespace

std::unique_ptr<Method> make_packed_per_peer(const MethodInputs& inputs) {
  return std::make_unique<PackedPerPeer>(inputs);
}

}  // namespace halyard::bench
