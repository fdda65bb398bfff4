# Sources of the CUDA twin, relative to runtime/device: the real one when CUDA is found, else the absent one.
if(HALYARD_HAVE_CUDA)
  set(halyard_cuda_sources
    cuda/device.cpp
    cuda/driver.cpp
    cuda/facts.cpp
    cuda/factory.cpp
    cuda/gpu.cpp
    cuda/memory.cpp
    cuda/peer_access.cpp
    cuda/nvlink.cpp
    cuda/peers.cpp
    cuda/streams.cpp)
else()
  set(halyard_cuda_sources cuda_absent.cpp)
endif()
