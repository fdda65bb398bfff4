# Sources of the verbs backend, relative to runtime/transport: the real twin when libibverbs is found, else the absent
# one. Whoever includes this links PkgConfig::IBVERBS when HALYARD_HAVE_VERBS is 1.
if(HALYARD_HAVE_VERBS)
  set(halyard_verbs_sources
    verbs/address.cpp
    verbs/channel.cpp
    verbs/completions.cpp
    verbs/device/gid_table.cpp
    verbs/device/gpu_memory.cpp
    verbs/device/gpu_trial.cpp
    verbs/device/ports.cpp
    verbs/device/rail.cpp
    verbs/factory.cpp
    verbs/fields/gather.cpp
    verbs/link.cpp
    verbs/queue_pair.cpp
    verbs/registrar.cpp
    verbs/worker.cpp)
else()
  set(halyard_verbs_sources verbs/factory_absent.cpp)
endif()
list(APPEND halyard_verbs_sources verbs/device/gid.cpp) # the choice, which the doctor makes too
