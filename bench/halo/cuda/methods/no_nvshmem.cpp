// Method nvshmem of a build without NVSHMEM: says so. Twin of nvshmem.c*.
#include "halo/cuda/methods/methods.hpp"
#include "halyard/status.hpp"

namespace halyard::bench {

std::unique_ptr<StreamMethod> make_nvshmem(const CudaInputs&) {
  throw Error(StatusCode::not_supported,
              "built without NVSHMEM: no nvshmem.h was found; see NVSHMEM_ROOT in bench/README.md");
}

}  // namespace halyard::bench
