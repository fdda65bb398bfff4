# What Halyard is built from. Sets HALYARD_HAVE_UCX, HALYARD_HAVE_VERBS and HALYARD_HAVE_PROMETHEUS (0 or 1); with 1 there
# is a target PkgConfig::UCX, PkgConfig::IBVERBS or PkgConfig::PROMETHEUS.

set(MPI_CXX_SKIP_MPICXX ON) # the C++ bindings of MPI-2 are never wanted
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)

if(HALYARD_BUILD_APPS OR HALYARD_BUILD_BENCH)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
endif()
if(HALYARD_BUILD_TESTS)
  find_package(GTest REQUIRED)
  # The system's python3 first: that is where dev/setup puts numpy.
  find_program(Python3_EXECUTABLE python3 HINTS /usr/bin)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

# halyard_find_backend(<variable> <target> <pkg-config module> <package>): HALYARD_WITH_<variable> decides whether it is
# looked for; HALYARD_HAVE_<variable> says whether PkgConfig::<target> is there.
function(halyard_find_backend variable target module package)
  set(wish "${HALYARD_WITH_${variable}}")
  if(NOT wish MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "HALYARD_WITH_${variable}=${wish}: use AUTO, ON or OFF")
  endif()
  set(found 0)
  if(wish STREQUAL "ON")
    find_package(PkgConfig REQUIRED)
  elseif(wish STREQUAL "AUTO")
    find_package(PkgConfig QUIET)
  endif()
  if(PkgConfig_FOUND AND NOT wish STREQUAL "OFF") # FindMPI finds it too
    pkg_check_modules(${target} QUIET IMPORTED_TARGET GLOBAL "${module}")
    if(${target}_FOUND)
      set(found 1)
    elseif(wish STREQUAL "ON")
      message(FATAL_ERROR "HALYARD_WITH_${variable}=ON: pkg-config finds no ${module}; install ${package} or run dev/setup")
    endif()
  endif()
  if(found)
    message(STATUS "Halyard: ${module} ${${target}_VERSION}")
  else()
    message(STATUS "Halyard: built without ${module} (HALYARD_WITH_${variable}=${wish})")
  endif()
  set(HALYARD_HAVE_${variable} ${found} PARENT_SCOPE)
endfunction()

halyard_find_backend(UCX UCX "ucx>=1.13" libucx-dev)
halyard_find_backend(VERBS IBVERBS libibverbs libibverbs-dev)
halyard_find_backend(PROMETHEUS PROMETHEUS prometheus-cpp-pull prometheus-cpp-dev)
