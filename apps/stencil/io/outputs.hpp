// Outputs: all files of --output PREFIX, from the check that they can be written to the moment they
// appear.
//
// Collective in every call. Made before the first time step, so that a folder that may not be
// written is reported before hours are spent. Nothing carries its final name until every rank has
// written its part; dropped without commit(), nothing is left.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "halyard/box.hpp"
#include "halyard/decomposition.hpp"
#include "io/block.hpp"
#include "io/staged_file.hpp"

namespace halyard::stencil {

class Outputs {
 public:
  /// Opens this rank's files. Throws SetupError on every rank.
  Outputs(MPI_Comm comm, std::string prefix, const Decomposition& decomposition);

  /// Writes `block`, the owned cells of this rank, and gives the files their names. Throws
  /// SetupError on every rank.
  void write(const Block& block);

 private:
  void open_mine();
  void write_mine(const Block& block);

  MPI_Comm comm_;
  std::string prefix_;
  Decomposition decomposition_;
  int rank_ = 0;
  Box box_;
  std::optional<StagedFile> vti_;    // of ranks that own cells
  std::optional<StagedFile> pvti_;   // of rank 0
  std::optional<StagedFile> array_;  // the .npy: created by rank 0, joined by the others
};

}  // namespace halyard::stencil
