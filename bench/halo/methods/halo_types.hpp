// HaloTypes: for one peer, the MPI derived types of all borders sent and all ghosts received, of
// all fields.
//
// One struct type of subarrays with absolute addresses, so it is used with MPI_BOTTOM and a count
// of 1. Owned by the methods derived and neighbor-alltoallw, made at set-up, freed before
// MPI_Finalize.
#pragma once

#include <mpi.h>

#include <vector>

#include "halo/fields.hpp"
#include "halo/geometry.hpp"

namespace halyard::bench {

/// A committed MPI datatype, freed with its owner.
class HaloType {
 public:
  HaloType(const Geometry& geometry, const std::vector<Box>& boxes, const FieldSet& fields);
  HaloType(HaloType&& other) noexcept : type_(other.type_) { other.type_ = MPI_DATATYPE_NULL; }
  HaloType& operator=(HaloType&&) = delete;
  ~HaloType();

  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

struct PeerTypes {
  int rank = 0;
  HaloType send;
  HaloType receive;
};

std::vector<PeerTypes> make_peer_types(const Geometry& geometry, const FieldSet& fields);

}  // namespace halyard::bench
