# halyard_check_kokkos_layout(<target>): stops where kernels would read the views of this Kokkos at other
# offsets than the host wrote them: nvcc 12.9 and newer lay members with [[no_unique_address]] out in two ways, and
# Kokkos 4.7 has such members (docs/gotchas.md). No GPU is needed; takes some seconds, once for each Kokkos.

function(halyard_check_kokkos_layout target)
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  find_file(core Kokkos_Core.hpp PATHS ${folders} NO_DEFAULT_PATH NO_CACHE)
  cmake_path(GET core PARENT_PATH include)
  set(key "${include} ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION}")
  if(HALYARD_KOKKOS_LAYOUT_CHECKED STREQUAL key)
    return()
  endif()
  set(ptx "${CMAKE_BINARY_DIR}/CMakeFiles/halyard_kokkos_layout.ptx")
  list(GET CMAKE_CUDA_ARCHITECTURES 0 arch)
  string(REGEX MATCH "^[0-9]+" arch "${arch}")
  if(NOT arch)
    set(arch 80)  # native, all: any shows it
  endif()
  set(host "")
  if(CMAKE_CUDA_HOST_COMPILER)
    set(host -ccbin "${CMAKE_CUDA_HOST_COMPILER}")
  endif()
  execute_process(
    COMMAND "${CMAKE_CUDA_COMPILER}" ${host} -ptx -std=c++20 -arch=compute_${arch} -extended-lambda
            --expt-relaxed-constexpr -DKOKKOS_DEPENDENCE "-I${include}"
            "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/kokkos_layout/probe.cu" -o "${ptx}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(WARNING "Whether kernels and the host lay the views of Kokkos in ${include} out alike could not be "
                    "checked: ${output}")
    return()
  endif()
  file(READ "${ptx}" text)
  string(REGEX MATCH "halyard_probe_bytes = ([0-9]+)" said "${text}")
  set(said "${CMAKE_MATCH_1}")
  string(REGEX MATCH "halyard_probe_param_0\\[([0-9]+)\\]" taken "${text}")
  set(taken "${CMAKE_MATCH_1}")
  if(NOT said STREQUAL taken)
    message(FATAL_ERROR "Kokkos in ${include}: two views have ${said} bytes on the host and ${taken} in kernels of "
                        "nvcc ${CMAKE_CUDA_COMPILER_VERSION}, which would end in illegal memory accesses: build "
                        "Kokkos with dev/gpu-kokkos in a new folder, or use Kokkos 5.0 or newer")
  endif()
  set(HALYARD_KOKKOS_LAYOUT_CHECKED "${key}" CACHE INTERNAL "")
endfunction()
