# Sources of the hooks, relative to runtime/memory: UCX's where UCX is found, else the twin that has none.
# Whoever includes this links PkgConfig::UCX when HALYARD_HAVE_UCX is 1.
if(HALYARD_HAVE_UCX)
  set(halyard_library_events_sources events/library_events_ucm.cpp)
else()
  set(halyard_library_events_sources events/library_events_absent.cpp)
endif()
