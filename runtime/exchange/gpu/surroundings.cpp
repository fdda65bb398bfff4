// See surroundings.hpp.
#include "exchange/gpu/surroundings.hpp"

#include <fmt/format.h>

namespace halyard::exchange::gpu {

// Under MPS kernels of several processes run at once, but only as many blocks as the GPU has room for: kernels that
// wait could keep out those they wait for (docs/adr/0043).
std::string GpuSurroundings::sharing_text(int ordinal) const {
  if (!is_shared(ordinal)) return {};
  return fmt::format("  {} ranks of this node use GPU {}: streams wait for neighbors, kernels do not ({})\n",
                     num_ranks_on(ordinal), ordinal,
                     device->runs_processes_at_once(ordinal) ? "the driver shares it through MPS"
                                                             : "processes take turns on it, as the driver sees no MPS");
}

}  // namespace halyard::exchange::gpu
