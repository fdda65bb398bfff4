// Json: the result as a JSON object (keys: docs/stencil.md), and lines of paths on their way to
// rank 0.
//
// Keeps the JSON library out of every other file.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "report/result.hpp"

namespace halyard::stencil {

/// Indented, with a line break at the end.
std::string to_json(const Result& result);

/// Collective: the lines of all ranks, in rank order, on rank 0; none on the others.
std::vector<PathLine> gather_paths(MPI_Comm comm, const std::vector<PathLine>& mine);

}  // namespace halyard::stencil
