# CUDA, for kernels and for the device module's real twin. Sets HALYARD_HAVE_CUDA (0 or 1) and
# HALYARD_CUDA_RUNTIME, what a module LINKs that calls the CUDA runtime: the static one, so that one
# binary runs on machines with and without a driver and beside an application's own runtime.
#
# Kernels are compiled for Hopper, machine code and PTX, unless CMAKE_CUDA_ARCHITECTURES says otherwise.

set(HALYARD_HAVE_CUDA 0)
set(HALYARD_CUDA_RUNTIME "")
if(NOT HALYARD_WITH_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "HALYARD_WITH_CUDA=${HALYARD_WITH_CUDA}: use AUTO, ON or OFF")
endif()

if(NOT HALYARD_WITH_CUDA STREQUAL "OFF" AND NOT CMAKE_CUDA_COMPILER)
  find_program(HALYARD_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(HALYARD_NVCC)
  if(HALYARD_NVCC)
    set(CMAKE_CUDA_COMPILER "${HALYARD_NVCC}")
  elseif(HALYARD_WITH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "HALYARD_WITH_CUDA=ON: no nvcc in PATH, $CUDA_HOME/bin or /usr/local/cuda/bin; "
                        "name it with -DCMAKE_CUDA_COMPILER=")
  endif()
endif()

if(NOT HALYARD_WITH_CUDA STREQUAL "OFF" AND CMAKE_CUDA_COMPILER)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "GPU architectures that kernels are compiled for")
  endif()
  if(HALYARD_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER "${HALYARD_CCACHE}")
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  # CMake 3.25 cannot spell C++20 for the CUDA compilers that came after it.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  # Kernels share constexpr functions with their host twins.
  string(APPEND CMAKE_CUDA_FLAGS " --expt-relaxed-constexpr")
  set(HALYARD_HAVE_CUDA 1)
  # The application may bring a CUDA runtime of its own: ours is not seen outside libhalyard.so.
  set(HALYARD_CUDA_RUNTIME CUDA::cudart_static "-Wl,--exclude-libs,libcudart_static.a:libcudadevrt.a")
endif()

if(HALYARD_HAVE_CUDA)
  message(STATUS "Halyard: CUDA ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
else()
  message(STATUS "Halyard: built without CUDA (HALYARD_WITH_CUDA=${HALYARD_WITH_CUDA})")
endif()
