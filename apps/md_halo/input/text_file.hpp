// read_text: a whole file in memory.
#pragma once

#include <string>

namespace halyard::md {

/// Throws std::runtime_error that names the file and what the system said.
std::string read_text(const std::string& path);

}  // namespace halyard::md
