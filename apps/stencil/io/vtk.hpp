// Vtk: image data for ParaView: one .vti piece per rank and a .pvti that joins them.
//
// Format: VTK XML file formats (docs.vtk.org): ImageData and PImageData, one cell array "u" of
// Float64, appended base64 with UInt64 headers, so that every file is valid XML. Extents count
// points: n cells are "0 n". Local calls.
#pragma once

#include <string>

#include "common/staged_file.hpp"
#include "halyard/box.hpp"
#include "halyard/decomposition.hpp"
#include "io/block.hpp"

namespace halyard::stencil {

/// The cells of one rank, and of the whole grid.
struct Piece3 {
  Index3 cells;
  Box box;
};

/// "<prefix>_<rank>.vti"
std::string piece_path(const std::string& prefix, int rank);

void write_vti(app::StagedFile& file, const Piece3& piece, const Block& block);

/// Lists the pieces of all ranks that own cells.
void write_pvti(app::StagedFile& file, const Decomposition& decomposition, const std::string& prefix);

}  // namespace halyard::stencil
