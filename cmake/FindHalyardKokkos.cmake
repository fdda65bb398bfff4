# find_package(HalyardKokkos): any Kokkos from 3.4 on, as the target Kokkos::kokkos. Sets HALYARD_KOKKOS_HAS_CUDA (0 or
# 1); with 1 its headers are for sources of the language CUDA only.
#
# Debian's libtrilinos-kokkos-dev (3.4, Serial) exports include folders that do not exist; its headers
# lie in /usr/include/trilinos. Such folders are replaced; a Kokkos whose folders exist is left alone.

find_package(Kokkos QUIET)

function(halyard_mend_kokkos_includes)
  find_path(HALYARD_KOKKOS_INCLUDE_DIR Kokkos_Core.hpp
            HINTS ${Kokkos_INCLUDE_DIRS} PATHS /usr/include/trilinos /usr/include/kokkos)
  mark_as_advanced(HALYARD_KOKKOS_INCLUDE_DIR)
  foreach(target Kokkos::kokkos Kokkos::kokkoscore trilinos_kokkoscore trilinos_kokkoscontainers
                 trilinos_kokkosalgorithms)
    if(TARGET ${target} AND HALYARD_KOKKOS_INCLUDE_DIR)
      halyard_replace_missing_includes(${target} "${HALYARD_KOKKOS_INCLUDE_DIR}")
    endif()
  endforeach()
endfunction()

function(halyard_replace_missing_includes target replacement)
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(NOT folders)
    return()
  endif()
  set(present "")
  foreach(folder IN LISTS folders)
    if(folder MATCHES "\\$<" OR EXISTS "${folder}")
      list(APPEND present "${folder}")
    else()
      list(APPEND present "${replacement}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES present)
  set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${present}")
endfunction()

# Kokkos links libcuda, and a program with it starts only where there is a driver. Puts <library>, which passes its calls
# on, in its place. A Kokkos in shared libraries is beyond help.
function(halyard_replace_cuda_driver library)
  get_target_property(kind Kokkos::kokkoscore TYPE)
  if(TARGET Kokkos::CUDA AND kind STREQUAL "STATIC_LIBRARY")
    set_target_properties(Kokkos::CUDA PROPERTIES INTERFACE_LINK_LIBRARIES ${library})
  endif()
endfunction()

set(HALYARD_KOKKOS_HAS_CUDA 0)
if(Kokkos_FOUND)
  halyard_mend_kokkos_includes()
  if("CUDA" IN_LIST Kokkos_DEVICES)
    if(NOT HALYARD_HAVE_CUDA)
      message(FATAL_ERROR "Kokkos in ${Kokkos_DIR} was built with CUDA, but Halyard is not: use "
                          "-DHALYARD_WITH_CUDA=ON, or another Kokkos (-DKokkos_ROOT=)")
    endif()
    if(NOT Kokkos_COMPILE_LANGUAGE STREQUAL "CUDA")
      message(FATAL_ERROR "Kokkos in ${Kokkos_DIR} was built with nvcc_wrapper as C++ compiler: build it with "
                          "-DKokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON (dev/gpu-kokkos does)")
    endif()
    include(HalyardKokkosLayout)
    halyard_check_kokkos_layout(Kokkos::kokkoscore)
    set(HALYARD_KOKKOS_HAS_CUDA 1)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HalyardKokkos REQUIRED_VARS Kokkos_DIR VERSION_VAR Kokkos_VERSION)
