// Method b: one packed message per neighbor direction, all fields together; what most codes do.
//
// 26 receives posted, 26 borders packed and sent, all awaited, 26 buffers unpacked. Halos that a
// rank owns itself go through MPI like the others. The tag is the direction as the sender sees it.
#include <array>
#include <vector>

#include "halo/methods/copy_lists.hpp"
#include "halo/methods/methods.hpp"

namespace halyard::bench {
namespace {

struct Direction {
  int rank = 0;
  int send_tag = 0;
  int receive_tag = 0;
  int count = 0;
  std::vector<double> outgoing;
  std::vector<double> incoming;
  std::vector<BoxCopy> packs;
  std::vector<BoxCopy> unpacks;
};

Direction make_direction(const MethodInputs& inputs, const Halo& halo) {
  const Geometry& geometry = inputs.geometry;
  const std::int64_t count = halo.ghosts.num_cells() * geometry.bench_case.fields;
  Direction made{halo.rank, halo.direction, opposite(halo.direction), mpi_count(count), {}, {}, {}, {}};
  made.outgoing.resize(static_cast<std::size_t>(count));
  made.incoming.resize(static_cast<std::size_t>(count));
  made.packs = pack_copies(geometry, {halo}, inputs.user_fields, made.outgoing.data());
  made.unpacks = unpack_copies(geometry, {halo}, inputs.user_fields, made.incoming.data());
  return made;
}

class PackedPerDirection : public Method {
 public:
  explicit PackedPerDirection(const MethodInputs& inputs) : Method(inputs.user_fields), comm_(inputs.comm) {
    for (const Halo& halo : inputs.geometry.halos) directions_.push_back(make_direction(inputs, halo));
    requests_.resize(2 * directions_.size());
  }

  void exchange() override {
    MPI_Request* request = requests_.data();
    for (Direction& d : directions_)
      MPI_Irecv(d.incoming.data(), d.count, MPI_DOUBLE, d.rank, d.receive_tag, comm_, request++);
    for (Direction& d : directions_) {
      copy_boxes(d.packs);
      MPI_Isend(d.outgoing.data(), d.count, MPI_DOUBLE, d.rank, d.send_tag, comm_, request++);
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (Direction& d : directions_) copy_boxes(d.unpacks);
  }

  std::string path() const override { return "mpi, 26 messages"; }

 private:
  MPI_Comm comm_;
  std::vector<Direction> directions_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<Method> make_packed_per_direction(const MethodInputs& inputs) {
  return std::make_unique<PackedPerDirection>(inputs);
}

}  // namespace halyard::bench
