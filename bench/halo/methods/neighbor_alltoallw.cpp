// Method neighbor-alltoallw: one MPI_Neighbor_alltoallw over a graph communicator of the peer ranks, derived types.
//
// Own-rank halos are copied in place, after the collective, so that the two methods with derived types compare.
#include <vector>

#include "halo/methods/copy_lists.hpp"
#include "halo/methods/halo_types.hpp"
#include "halo/methods/methods.hpp"

namespace halyard::bench {
namespace {

MPI_Comm make_graph(MPI_Comm comm, const std::vector<PeerTypes>& peers) {
  std::vector<int> ranks;
  for (const PeerTypes& peer : peers) ranks.push_back(peer.rank);
  const int degree = static_cast<int>(ranks.size());
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(comm, degree, ranks.data(), MPI_UNWEIGHTED, degree, ranks.data(), MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  return graph;
}

class NeighborAlltoallw : public Method {
 public:
  explicit NeighborAlltoallw(const MethodInputs& inputs)
      : Method(inputs.user_fields),
        own_(own_copies(inputs.geometry, inputs.user_fields)),
        peers_(make_peer_types(inputs.geometry, inputs.user_fields)),
        graph_(make_graph(inputs.comm, peers_)),
        ones_(peers_.size(), 1),
        zeros_(peers_.size(), 0) {
    for (const PeerTypes& peer : peers_) {
      send_types_.push_back(peer.send.get());
      receive_types_.push_back(peer.receive.get());
    }
  }

  ~NeighborAlltoallw() override { MPI_Comm_free(&graph_); }

  void exchange() override {
    if (!peers_.empty())
      MPI_Neighbor_alltoallw(MPI_BOTTOM, ones_.data(), zeros_.data(), send_types_.data(), MPI_BOTTOM, ones_.data(),
                             zeros_.data(), receive_types_.data(), graph_);
    copy_boxes(own_);
  }

  std::string path() const override { return "mpi, collective"; }

 private:
  std::vector<BoxCopy> own_;
  std::vector<PeerTypes> peers_;
  MPI_Comm graph_;
  std::vector<int> ones_;
  std::vector<MPI_Aint> zeros_;
  std::vector<MPI_Datatype> send_types_;
  std::vector<MPI_Datatype> receive_types_;
};

}  // namespace

std::unique_ptr<Method> make_neighbor_alltoallw(const MethodInputs& inputs) {
  return std::make_unique<NeighborAlltoallw>(inputs);
}

}  // namespace halyard::bench
