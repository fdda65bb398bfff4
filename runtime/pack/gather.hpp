// Gathers of a Program, run on the host. Called by copy() and reduce(); data path.
#pragma once

#include <cstddef>

#include "pack/program.hpp"

namespace halyard::pack {

void copy_gather(const Gather& gather, const std::byte* source, std::byte* target);
void reduce_gather(const Gather& gather, Reduce op, const std::byte* source, std::byte* target);

}  // namespace halyard::pack
