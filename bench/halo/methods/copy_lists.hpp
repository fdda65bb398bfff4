// Lists of box copies that several methods need: own-rank halos, packing and unpacking. Made at
// set-up.
#pragma once

#include <vector>

#include "halo/copy_boxes.hpp"
#include "halo/fields.hpp"
#include "halo/geometry.hpp"

namespace halyard::bench {

/// From the borders of one set of arrays into the ghosts of another, for each halo: the ghosts of
/// `halo` come from the border on the opposite side of `owners`.
std::vector<BoxCopy> direct_copies(const Geometry& geometry, const std::vector<Halo>& halos,
                                   const std::vector<double*>& owners, const std::vector<double*>& receivers);

/// The halos whose ghosts this rank owns itself, copied inside its arrays.
std::vector<BoxCopy> own_copies(const Geometry& geometry, const FieldSet& fields);

/// Borders of the halos, in this order and field by field in each, into a buffer without gaps.
std::vector<BoxCopy> pack_copies(const Geometry& geometry, const std::vector<Halo>& halos, const FieldSet& fields,
                                 double* buffer);
/// The way back: from the buffer into the ghosts of the halos.
std::vector<BoxCopy> unpack_copies(const Geometry& geometry, const std::vector<Halo>& halos, const FieldSet& fields,
                                   double* buffer);

/// A number of doubles as MPI wants it; throws when it does not fit.
int mpi_count(std::int64_t doubles);

}  // namespace halyard::bench
