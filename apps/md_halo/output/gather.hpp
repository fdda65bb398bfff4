// Gather: the atoms of all ranks on rank 0, by id. For files; a run itself never does this.
#pragma once

#include <mpi.h>

#include <vector>

#include "atoms/atoms.hpp"
#include "input/system.hpp"

namespace halyard::md {

struct AtomWithForce {
  Atom atom;
  Vector f{0, 0, 0};
};

/// Collective. Ascending by id on rank 0; empty on the others.
std::vector<AtomWithForce> gather_atoms(MPI_Comm comm, const Atoms& atoms);

}  // namespace halyard::md
