// The order matters: rank 0 creates the shared array before the others join it, every part is on
// the disk before any file is renamed, and the .pvti, which names the pieces, is renamed last.
#include "io/outputs.hpp"

#include <utility>

#include "common/agree.hpp"
#include "io/npy.hpp"
#include "io/vtk.hpp"
#include "model/grid.hpp"

namespace halyard::stencil {

Outputs::Outputs(MPI_Comm comm, std::string prefix, const Decomposition& decomposition)
    : comm_(comm), prefix_(std::move(prefix)), decomposition_(decomposition) {
  MPI_Comm_rank(comm_, &rank_);
  box_ = block_of(decomposition_, rank_);
  open_all();
  vti_.reset();
  pvti_.reset();
  array_.reset();
}

void Outputs::write(const Block& block) {
  open_all();
  app::agreed(comm_, [&] { write_mine(block); });
  commit_all();
}

void Outputs::open_all() {
  app::agreed_on_root(comm_, [&] {
    array_ = app::StagedFile::create(prefix_ + ".npy");
    pvti_ = app::StagedFile::create(prefix_ + ".pvti");
    write_npy_header(*array_, decomposition_.domain().extents());
  });
  app::agreed(comm_, [&] { open_mine(); });
}

void Outputs::open_mine() {
  if (!box_.empty()) vti_ = app::StagedFile::create(piece_path(prefix_, rank_));
  if (rank_ != 0) array_ = app::StagedFile::join(prefix_ + ".npy");
}

void Outputs::write_mine(const Block& block) {
  const Index3 cells = decomposition_.domain().extents();
  write_npy_part(*array_, cells, box_, block);
  array_->close();
  if (vti_) {
    write_vti(*vti_, {cells, box_}, block);
    vti_->close();
  }
  if (pvti_) {
    write_pvti(*pvti_, decomposition_, prefix_);
    pvti_->close();
  }
}

void Outputs::commit_all() {
  app::agreed(comm_, [&] {
    if (vti_) vti_->commit();
  });
  app::agreed_on_root(comm_, [&] {
    array_->commit();
    pvti_->commit();
  });
}

}  // namespace halyard::stencil
