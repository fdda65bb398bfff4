// Npy: reads and writes this rank's part of a 3-D NumPy file, a[x, y, z].
//
// Each rank reads and writes only the rows of its own box, at their offsets. Local calls; failures
// throw std::runtime_error that names the file. Values are doubles in memory, whatever the file
// holds.
#pragma once

#include <string>

#include "common/staged_file.hpp"
#include "halyard/box.hpp"
#include "io/block.hpp"
#include "io/npy_header.hpp"

namespace halyard::stencil {

/// The head of a file, after a check that the file is as long as the head says.
NpyHeader inspect_npy(const std::string& path);

/// Fills `block` with the cells of `box` (global coordinates).
void read_npy(const std::string& path, const NpyHeader& header, const Box& box, const Block& block);

/// Writes the head; one rank calls it.
void write_npy_header(app::StagedFile& file, const Index3& cells);

/// Writes the cells of `box` of an array of `cells`.
void write_npy_part(const app::StagedFile& file, const Index3& cells, const Box& box, const Block& block);

}  // namespace halyard::stencil
