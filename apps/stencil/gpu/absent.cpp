// A Kokkos without CUDA: --device cuda is refused in words that say what to install.
#include "common/gpu/gpu.hpp"
#include "gpu/gpu.hpp"

namespace halyard::stencil::gpu {

std::unique_ptr<Simulation> make_simulation(MPI_Comm, const Settings&, const Grid&, double) {
  app::gpu::require_built();
  return nullptr;
}

}  // namespace halyard::stencil::gpu
