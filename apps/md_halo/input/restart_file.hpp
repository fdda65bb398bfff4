// RestartFile: all of a System as bytes, so that a run can be continued as if it had not stopped.
//
// Positions and velocities are kept bit for bit. Little-endian, with a checksum; read_restart() takes any bytes and
// gives a System that can be run or an InputError. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "input/system.hpp"

namespace halyard::md {

/// Whether a file begins as restart files do.
bool is_restart(std::string_view bytes);

std::string to_restart(const System& system);
/// `name` is what errors call the bytes.
System read_restart(const std::string& name, std::string_view bytes);

}  // namespace halyard::md
