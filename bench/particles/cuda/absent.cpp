// Ways in GPU memory of a build without CUDA: they say so.
#include "common/usage_error.hpp"
#include "particles/way.hpp"

namespace halyard::bench {
namespace {

[[noreturn]] void refuse() {
  throw UsageError("--device cuda: this halyard was built without CUDA; configure with -DHALYARD_WITH_CUDA=ON");
}

}  // namespace

void choose_gpu_for_particles(MPI_Comm) { refuse(); }
std::unique_ptr<Way> make_by_hand_on_gpu(MPI_Comm, const System&, Landing) { refuse(); }
std::unique_ptr<Way> make_with_halyard_on_gpu(Context&, const System&, Wait) { refuse(); }
bool mpi_takes_gpu_memory() { return false; }

}  // namespace halyard::bench
