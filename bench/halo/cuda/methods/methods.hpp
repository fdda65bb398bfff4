// The makers of the GPU methods; their files say what they are. Called through the registry in methods.cpp.
#pragma once

#include <memory>

#include "halo/cuda/stream_method.hpp"

namespace halyard::bench {

std::unique_ptr<StreamMethod> make_halyard_stream(const CudaInputs& inputs);  // halyard
std::unique_ptr<StreamMethod> make_halyard_split(const CudaInputs& inputs);   // halyard-split
std::unique_ptr<StreamMethod> make_cuda_mpi(const CudaInputs& inputs);        // cuda-mpi
std::unique_ptr<StreamMethod> make_nccl(const CudaInputs& inputs);            // nccl; twins nccl.cpp, no_nccl.cpp
std::unique_ptr<StreamMethod> make_nvshmem(const CudaInputs& inputs);       // nvshmem; twins nvshmem.cu, no_nvshmem.cpp
std::unique_ptr<StreamMethod> make_staged_mpi(const CudaInputs& inputs);    // staged-mpi
std::unique_ptr<StreamMethod> make_limit_flag(const CudaInputs& inputs);    // limit-flag
std::unique_ptr<StreamMethod> make_limit_copy(const CudaInputs& inputs);    // limit-copy
std::unique_ptr<StreamMethod> make_limit_launch(const CudaInputs& inputs);  // limit-launch

}  // namespace halyard::bench
