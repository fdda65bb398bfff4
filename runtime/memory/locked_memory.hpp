// What the system says of memory that may not be paged out: for error texts. Any thread.
#pragma once

#include <string>

namespace halyard::memory {

/// "locked memory is limited to 8388608 bytes (RLIMIT_MEMLOCK); raise it …", or that it is not limited.
std::string locked_memory_text();

}  // namespace halyard::memory
