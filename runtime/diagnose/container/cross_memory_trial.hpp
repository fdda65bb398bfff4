// try_cross_memory: may one rank read another's memory? Tried between two children of this process, since Yama lets a
// parent read its child while ranks are brothers. For the live machine only, before MPI is started.
#pragma once

#include <string>

namespace halyard::diagnose::container {

/// "4096 bytes of a brother were read". Throws Error(not_supported) with what the system said.
std::string try_cross_memory();

}  // namespace halyard::diagnose::container
