// The CUDA target of a build without CUDA: says so; see ../target.hpp.
#include "halo/target.hpp"

namespace halyard::bench {

std::unique_ptr<Target> make_cuda_target(MPI_Comm, const HaloBenchOptions&) {
  throw UsageError("--device cuda: this halyard was built without CUDA; configure with -DHALYARD_WITH_CUDA=ON");
}

}  // namespace halyard::bench
