// What HalyardKokkosLayout.cmake compiles to PTX, to read two numbers that must be equal: how many bytes the compiler
// says that a functor of views has, and how many its code takes as a kernel's argument.
#include <Kokkos_Core.hpp>

struct Probe {
  Kokkos::View<int*, Kokkos::CudaSpace> first, second;
};

extern "C" {
__device__ unsigned halyard_probe_bytes = sizeof(Probe);
__global__ void halyard_probe(const Probe) {}
}
