# Sources of the UCX backend, relative to runtime/transport: the real twin when UCX is found, else the absent one.
# Whoever includes this links PkgConfig::UCX when HALYARD_HAVE_UCX is 1.
if(HALYARD_HAVE_UCX)
  set(halyard_ucx_sources
    ucx/address.cpp
    ucx/channel.cpp
    ucx/endpoint.cpp
    ucx/factory.cpp
    ucx/link.cpp
    ucx/probe.cpp
    ucx/registrar.cpp
    ucx/worker.cpp)
else()
  set(halyard_ucx_sources ucx/factory_absent.cpp)
endif()
