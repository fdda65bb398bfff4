// CacheLimits: how much may be registered at once, as long as it is not all in use. Pure data.
#pragma once

#include <cstddef>

namespace halyard::memory {

struct CacheLimits {
  std::size_t regions = 1024;
  std::size_t bytes = 0;  // 0: what the system allows
};

}  // namespace halyard::memory
