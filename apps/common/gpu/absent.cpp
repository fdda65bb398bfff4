// A Kokkos without CUDA: --device cuda is refused in words that say what to install.
#include "common/agree.hpp"
#include "common/gpu/gpu.hpp"

namespace halyard::app::gpu {

bool is_built() { return false; }

void require_built() {
  throw SetupError(
      "--device cuda: this program was built with a Kokkos that has no CUDA back end; build Kokkos with "
      "-DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON, then Halyard with -DKokkos_ROOT=<its "
      "folder> -DHALYARD_WITH_CUDA=ON (dev/gpu-kokkos does the first), or use --device host");
}

int choose(MPI_Comm) {
  require_built();
  return 0;
}

bool is_missing() { return false; }
void open_host_spaces() {}
void close_host_spaces() {}

std::string name_of_current() { return {}; }

}  // namespace halyard::app::gpu
