# Sources of the hooks, relative to runtime/memory: UCX's where UCX is found, else the twin that has none; and what they
# link. UCX's hooks (ucm) use its common library (ucs) without saying so. Linkers that drop what seems unused look only at
# what comes before, so ucs has to come behind, while pkg-config names it in front.
set(halyard_library_events_link)
if(HALYARD_HAVE_UCX)
  set(halyard_library_events_sources events/library_events_ucm.cpp)
  get_target_property(ucx_libraries PkgConfig::UCX INTERFACE_LINK_LIBRARIES)
  get_target_property(ucx_includes PkgConfig::UCX INTERFACE_INCLUDE_DIRECTORIES)
  foreach(name ucm ucs)
    set(found ${ucx_libraries})
    list(FILTER found INCLUDE REGEX "${name}[^/]*$")
    list(APPEND halyard_library_events_link ${found})
  endforeach()
else()
  set(halyard_library_events_sources events/library_events_absent.cpp)
endif()
