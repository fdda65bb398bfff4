// What the simulations on the host and on a GPU share, and the choice between them.
#include "simulation.hpp"

#include "gpu/gpu.hpp"
#include "host/host_simulation.hpp"

namespace halyard::stencil {

std::unique_ptr<Simulation> make_simulation(MPI_Comm comm, const Settings& settings, const Grid& grid,
                                            double coefficient) {
  if (settings.device == Device::cuda) return gpu::make_simulation(comm, settings, grid, coefficient);
  return std::make_unique<HostSimulation>(comm, settings, grid, coefficient);
}

std::vector<HaloExchange> make_exchanges(Context& context, const std::vector<FieldView>& fields, const Grid& grid) {
  const BoxHalo halo{grid.decomposition, grid.periodic, grid.width(), grid.stencil.reach()};
  const Pattern pattern = box_halo(halo, context.rank());
  std::vector<HaloExchange> exchanges;
  for (const FieldView& field : fields) exchanges.emplace_back(context, pattern, std::vector<FieldView>{field});
  return exchanges;
}

Options context_options(const Settings& settings) {
  Options options;
  options.path = settings.path;
  options.deadline_s = settings.deadline_s;
  return options;
}

}  // namespace halyard::stencil
