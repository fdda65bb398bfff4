// MPI derived types of whole messages; see halo_types.hpp.
#include "halo/methods/halo_types.hpp"

#include <array>

namespace halyard::bench {
namespace {

MPI_Datatype make_subarray(const Index3& extents, const Box& box) {
  std::array<int, 3> sizes{};
  std::array<int, 3> subsizes{};
  std::array<int, 3> starts{};
  for (std::size_t a = 0; a < 3; ++a) {
    sizes[a] = static_cast<int>(extents[a]);
    subsizes[a] = static_cast<int>(box.extent(a));
    starts[a] = static_cast<int>(box.lo[a]);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_subarray(3, sizes.data(), subsizes.data(), starts.data(), MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
  return type;
}

std::vector<Box> boxes_of(const std::vector<Halo>& halos, Box Halo::*box) {
  std::vector<Box> boxes;
  for (const Halo& halo : halos) boxes.push_back(halo.*box);
  return boxes;
}

}  // namespace

HaloType::HaloType(const Geometry& geometry, const std::vector<Box>& boxes, const FieldSet& fields) {
  std::vector<MPI_Datatype> parts;
  std::vector<MPI_Aint> places;
  for (const Box& box : boxes)
    for (const double* array : fields.arrays()) {
      parts.push_back(make_subarray(geometry.extents(), box));
      places.emplace_back();
      MPI_Get_address(array, &places.back());
    }
  const std::vector<int> ones(parts.size(), 1);
  MPI_Type_create_struct(static_cast<int>(parts.size()), ones.data(), places.data(), parts.data(), &type_);
  MPI_Type_commit(&type_);
  for (MPI_Datatype& part : parts) MPI_Type_free(&part);
}

HaloType::~HaloType() {
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

std::vector<PeerTypes> make_peer_types(const Geometry& geometry, const FieldSet& fields) {
  std::vector<PeerTypes> types;
  for (const Peer& peer : peers_of(geometry))
    types.push_back({peer.rank, HaloType(geometry, boxes_of(peer.sends, &Halo::border), fields),
                     HaloType(geometry, boxes_of(peer.receives, &Halo::ghosts), fields)});
  return types;
}

}  // namespace halyard::bench
