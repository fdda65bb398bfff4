// A Kokkos without CUDA: --device cuda is refused in words that say what to install.
#include "common/agree.hpp"
#include "gpu/gpu.hpp"

namespace halyard::stencil::gpu {
namespace {

[[noreturn]] void refuse() {
  throw app::SetupError(
      "--device cuda: this program was built with a Kokkos that has no CUDA back end; build Kokkos with "
      "-DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON, then Halyard with -DKokkos_ROOT=<its "
      "folder> -DHALYARD_WITH_CUDA=ON (dev/gpu-kokkos does the first), or use --device host");
}

}  // namespace

int choose(MPI_Comm) { refuse(); }

bool is_missing() { return false; }
void open_host_spaces() {}
void close_host_spaces() {}

std::string name_of_current() { return {}; }

std::unique_ptr<Simulation> make_simulation(MPI_Comm, const Settings&, const Grid&, double) { refuse(); }

}  // namespace halyard::stencil::gpu
