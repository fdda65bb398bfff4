// HostLead: whether the host keeps ahead of the GPU, or the GPU waits for the host between two steps.
#pragma once

#include <cstdint>

namespace halyard::md {

struct HostLead {
  std::int64_t num_looked = 0;  // steps given behind one that nobody had waited for: no rebuild, not timed, no sums
  std::int64_t num_idle = 0;    // of those: the GPU had ended all that came before
};

}  // namespace halyard::md
