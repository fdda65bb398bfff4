// Method nccl of a build without NCCL: says so. Twin of nccl.c*.
#include "halo/cuda/methods/methods.hpp"
#include "halyard/status.hpp"

namespace halyard::bench {

std::unique_ptr<StreamMethod> make_nccl(const CudaInputs&) {
  throw Error(StatusCode::not_supported, "built without NCCL: no nccl.h was found; see NCCL_ROOT in bench/README.md");
}

}  // namespace halyard::bench
