# The peers that the GPU bench compares with. Sets HALYARD_HAVE_NCCL and HALYARD_HAVE_NVSHMEM (0 or 1) and, where
# found, the targets halyard_nccl, halyard_nvshmem_host and halyard_nvshmem_device. Nothing here is needed to build.
#
# Looked for in NCCL_ROOT and NVSHMEM_ROOT (variables of CMake or of the environment), then in the system, then in
# the Python wheels nvidia-nccl-cu* and nvidia-nvshmem-cu* of the python3 that is found first. Wheels have no
# unversioned .so: hence the names.

find_program(HALYARD_WHEEL_PYTHON python3)
mark_as_advanced(HALYARD_WHEEL_PYTHON)
set(halyard_wheel_roots "")
if(HALYARD_WHEEL_PYTHON)
  execute_process(COMMAND "${HALYARD_WHEEL_PYTHON}" -c "import sysconfig; print(sysconfig.get_path('purelib'))"
                  OUTPUT_VARIABLE halyard_wheels OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(halyard_wheel_roots "${halyard_wheels}/nvidia/nccl" "${halyard_wheels}/nvidia/nvshmem")
endif()

# halyard_gpu_peer(<target> <header> <root variable> <library type> <library name>...)
function(halyard_gpu_peer target header root type)
  find_path(${target}_INCLUDE ${header} HINTS ${${root}} ENV ${root} ${halyard_wheel_roots} PATH_SUFFIXES include)
  find_library(${target}_LIBRARY NAMES ${ARGN} HINTS ${${root}} ENV ${root} ${halyard_wheel_roots} PATH_SUFFIXES lib)
  mark_as_advanced(${target}_INCLUDE ${target}_LIBRARY)
  if(${target}_INCLUDE AND ${target}_LIBRARY)
    add_library(${target} ${type} IMPORTED)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${${target}_LIBRARY}"
                          INTERFACE_INCLUDE_DIRECTORIES "${${target}_INCLUDE}")
  endif()
endfunction()

halyard_gpu_peer(halyard_nccl nccl.h NCCL_ROOT SHARED nccl libnccl.so.2)
halyard_gpu_peer(halyard_nvshmem_host nvshmem.h NVSHMEM_ROOT SHARED nvshmem_host libnvshmem_host.so.3)
halyard_gpu_peer(halyard_nvshmem_device nvshmem.h NVSHMEM_ROOT STATIC nvshmem_device)

set(HALYARD_HAVE_NCCL 0)
set(HALYARD_HAVE_NVSHMEM 0)
if(TARGET halyard_nccl)
  set(HALYARD_HAVE_NCCL 1)
endif()
if(TARGET halyard_nvshmem_host AND TARGET halyard_nvshmem_device)
  set(HALYARD_HAVE_NVSHMEM 1)
endif()
message(STATUS "Halyard: GPU bench with NCCL ${HALYARD_HAVE_NCCL}, NVSHMEM ${HALYARD_HAVE_NVSHMEM}")
