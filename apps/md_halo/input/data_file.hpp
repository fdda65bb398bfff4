// DataFile: reads LAMMPS data files of atom style atomic: Masses, Atoms, Velocities, Pair Coeffs and PairIJ Coeffs of
// lj/cut.
//
// A pure function of the text. Whatever the text holds, it comes back as a System that can be run or as an InputError
// that names the line.
#pragma once

#include <string>
#include <string_view>

#include "input/system.hpp"

namespace halyard::md {

/// `name` is what errors call the text. Masses that the file lacks are 1, velocities 0, pairs epsilon = sigma = 1. An
/// atom on an upper face of the box is moved to the lower one.
System read_data(const std::string& name, std::string_view text);

}  // namespace halyard::md
