// The calls of the CUDA driver that Kokkos makes, passed on to libcuda once it is needed.
//
// A program that is linked with libcuda.so.1 does not start where there is no driver. This one does, as a Kokkos in
// static libraries finds its calls here. Seen in Kokkos 4.6 (core/src/Cuda/Kokkos_Cuda_Instance.cpp).
#include <cuda.h>
#include <dlfcn.h>

#define HALYARD_NAME_OF(function) HALYARD_TEXT_OF(function)  // cuda.h renames functions to their newest versions
#define HALYARD_TEXT_OF(name) #name

namespace {

template <class Function>
Function* in_driver(const char* name) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return library == nullptr ? nullptr : reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace

extern "C" {

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  static auto* const call = in_driver<CUresult(CUstream, CUcontext*)>(HALYARD_NAME_OF(cuStreamGetCtx));
  return call == nullptr ? CUDA_ERROR_NOT_FOUND : call(stream, context);
}

CUresult cuCtxPushCurrent(CUcontext context) {
  static auto* const call = in_driver<CUresult(CUcontext)>(HALYARD_NAME_OF(cuCtxPushCurrent));
  return call == nullptr ? CUDA_ERROR_NOT_FOUND : call(context);
}

CUresult cuCtxGetDevice(CUdevice* device) {
  static auto* const call = in_driver<CUresult(CUdevice*)>(HALYARD_NAME_OF(cuCtxGetDevice));
  return call == nullptr ? CUDA_ERROR_NOT_FOUND : call(device);
}
}
