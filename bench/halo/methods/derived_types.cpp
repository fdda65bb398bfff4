// Method derived: one message per peer rank described by an MPI derived type; MPI packs.
//
// Own-rank halos are copied in place as in best-mpi, so that the two differ only in who packs.
#include <vector>

#include "halo/methods/copy_lists.hpp"
#include "halo/methods/halo_types.hpp"
#include "halo/methods/methods.hpp"

namespace halyard::bench {
namespace {

class DerivedTypes : public Method {
 public:
  explicit DerivedTypes(const MethodInputs& inputs)
      : Method(inputs.user_fields),
        comm_(inputs.comm),
        own_(own_copies(inputs.geometry, inputs.user_fields)),
        peers_(make_peer_types(inputs.geometry, inputs.user_fields)),
        requests_(2 * peers_.size()) {}

  void exchange() override {
    MPI_Request* request = requests_.data();
    for (const PeerTypes& peer : peers_)
      MPI_Irecv(MPI_BOTTOM, 1, peer.receive.get(), peer.rank, kTag, comm_, request++);
    for (const PeerTypes& peer : peers_) MPI_Isend(MPI_BOTTOM, 1, peer.send.get(), peer.rank, kTag, comm_, request++);
    copy_boxes(own_);
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  std::string path() const override { return "mpi, types"; }

 private:
  static constexpr int kTag = 101;

  MPI_Comm comm_;
  std::vector<BoxCopy> own_;
  std::vector<PeerTypes> peers_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<Method> make_derived_types(const MethodInputs& inputs) {
  return std::make_unique<DerivedTypes>(inputs);
}

}  // namespace halyard::bench
