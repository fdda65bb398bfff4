// DataHeader: the lines of a LAMMPS data file before its first section: counts and the box.
#pragma once

#include <cstdint>

#include "halyard/particle_domain.hpp"
#include "input/line_reader.hpp"

namespace halyard::md {

struct DataHeader {
  std::int64_t num_atoms = 0;
  int num_types = 0;
  SpaceBox box;
};

/// Reads up to the first section, whose name is then the reader's current line. Throws InputError for lines that it
/// does not know, counts that are missing, and what halyard-md cannot do: bonds, bodies, skewed boxes.
DataHeader read_header(LineReader& reader);

}  // namespace halyard::md
