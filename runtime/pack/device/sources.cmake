# Sources of the GPU part of pack, relative to runtime/pack.
set(halyard_pack_device_sources
  device/chunks.cpp
  device/compile.cpp
  device/compile_ghosts.cpp
  device/kernel.cpp
  device/numbered.cpp
  device/run_host.cpp
  device/runs.cpp
  device/stamps/clock.cpp
  device/stamps/stamp_host.cpp)
if(HALYARD_HAVE_CUDA)
  list(APPEND halyard_pack_device_sources device/cuda/copy_numbered.cu device/cuda/marks.cu device/cuda/run.cu)
else()
  list(APPEND halyard_pack_device_sources device/launch_absent.cpp)
endif()
