// Copy lists shared by the methods; see copy_lists.hpp.
#include "halo/methods/copy_lists.hpp"

#include <limits>
#include <stdexcept>

namespace halyard::bench {

std::vector<BoxCopy> direct_copies(const Geometry& geometry, const std::vector<Halo>& halos,
                                   const std::vector<double*>& owners, const std::vector<double*>& receivers) {
  const Index3 m = geometry.extents();
  std::vector<BoxCopy> copies;
  for (const Halo& halo : halos) {
    const Box& border = geometry.halo(opposite(halo.direction)).border;
    for (std::size_t f = 0; f < owners.size(); ++f)
      copies.push_back(make_copy(box_of(owners[f], m, border), box_of(receivers[f], m, halo.ghosts), border.extents()));
  }
  return copies;
}

std::vector<BoxCopy> own_copies(const Geometry& geometry, const FieldSet& fields) {
  std::vector<Halo> own;
  for (const Halo& halo : geometry.halos)
    if (halo.rank == geometry.rank) own.push_back(halo);
  return direct_copies(geometry, own, fields.arrays(), fields.arrays());
}

std::vector<BoxCopy> pack_copies(const Geometry& geometry, const std::vector<Halo>& halos, const FieldSet& fields,
                                 double* buffer) {
  std::vector<BoxCopy> copies;
  for (const Halo& halo : halos)
    for (double* array : fields.arrays()) {
      copies.push_back(make_copy(box_of(array, geometry.extents(), halo.border), packed(buffer, halo.border),
                                 halo.border.extents()));
      buffer += halo.border.num_cells();
    }
  return copies;
}

std::vector<BoxCopy> unpack_copies(const Geometry& geometry, const std::vector<Halo>& halos, const FieldSet& fields,
                                   double* buffer) {
  std::vector<BoxCopy> copies;
  for (const Halo& halo : halos)
    for (double* array : fields.arrays()) {
      copies.push_back(make_copy(packed(buffer, halo.ghosts), box_of(array, geometry.extents(), halo.ghosts),
                                 halo.ghosts.extents()));
      buffer += halo.ghosts.num_cells();
    }
  return copies;
}

int mpi_count(std::int64_t doubles) {
  if (doubles > std::numeric_limits<int>::max())
    throw std::length_error("a message of " + std::to_string(doubles) + " doubles is more than MPI_Isend can count");
  return static_cast<int>(doubles);
}

}  // namespace halyard::bench
