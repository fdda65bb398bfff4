// Outputs: all files of --output PREFIX, from the check that they can be written to the moment they
// appear.
//
// Collective in every call. Made before the first time step, so that a folder that may not be written is reported
// before hours are spent; the files themselves are made at the end only, so that a run that is killed leaves nothing.
// None carries its final name until every rank has written its part.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "common/staged_file.hpp"
#include "halyard/box.hpp"
#include "halyard/decomposition.hpp"
#include "io/block.hpp"

namespace halyard::stencil {

class Outputs {
 public:
  /// Tries every file and removes it again. Throws SetupError on every rank.
  Outputs(MPI_Comm comm, std::string prefix, const Decomposition& decomposition);

  /// Writes `block`, the owned cells of this rank, and gives the files their names. Throws
  /// SetupError on every rank.
  void write(const Block& block);

 private:
  void open_all();
  void open_mine();
  void commit_all();
  void write_mine(const Block& block);

  MPI_Comm comm_;
  std::string prefix_;
  Decomposition decomposition_;
  int rank_ = 0;
  Box box_;
  std::optional<app::StagedFile> vti_;    // of ranks that own cells
  std::optional<app::StagedFile> pvti_;   // of rank 0
  std::optional<app::StagedFile> array_;  // the .npy: created by rank 0, joined by the others
};

}  // namespace halyard::stencil
