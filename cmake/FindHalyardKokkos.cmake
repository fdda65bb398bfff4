# find_package(HalyardKokkos): any Kokkos from 3.4 on, as the target Kokkos::kokkos.
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

if(Kokkos_FOUND)
  halyard_mend_kokkos_includes()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HalyardKokkos REQUIRED_VARS Kokkos_DIR VERSION_VAR Kokkos_VERSION)
