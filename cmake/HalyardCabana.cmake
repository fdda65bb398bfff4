# The peer that the host bench of particles compares with. Sets HALYARD_HAVE_CABANA (0 or 1); with 1 there is the target
# Cabana::Core. Found with the Kokkos that it was built with: name the folder of both in CMAKE_PREFIX_PATH. One whose
# Kokkos is not for one thread of the host is left out: the bench has one thread a rank and Kokkos' headers in C++.
find_package(Cabana QUIET)

set(HALYARD_HAVE_CABANA 0)
if(TARGET Cabana::Core AND Cabana_ENABLE_MPI AND Kokkos_DEVICES STREQUAL "SERIAL")
  set(HALYARD_HAVE_CABANA 1)
endif()
message(STATUS "Halyard: bench of particles with Cabana ${HALYARD_HAVE_CABANA}")
