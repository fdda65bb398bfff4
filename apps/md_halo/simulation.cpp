// Which space a simulation runs in.
#include "simulation.hpp"

#include "common/gpu/gpu.hpp"
#include "space_simulation.hpp"

namespace halyard::md {

std::unique_ptr<Simulation> make_simulation(MPI_Comm comm, const Settings& settings, const System& system) {
  if (settings.device == Device::emulated)
    return std::make_unique<SpaceSimulation<EmulatedSpace>>(comm, settings, system);
#ifdef KOKKOS_ENABLE_CUDA
  if (settings.device == Device::cuda) return std::make_unique<SpaceSimulation<Kokkos::Cuda>>(comm, settings, system);
#else
  if (settings.device == Device::cuda) app::gpu::require_built();
#endif
  return std::make_unique<SpaceSimulation<HostSpace>>(comm, settings, system);
}

}  // namespace halyard::md
