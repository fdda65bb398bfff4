// OnGpu: what particles in GPU memory need of their context. And what searches need of the arrays there.
#pragma once

#include <memory>

#include "exchange/gpu/buffers.hpp"
#include "exchange/gpu/surroundings.hpp"
#include "pack/device/numbered.hpp"
#include "particles/arrays.hpp"
#include "particles/device/kernels.hpp"

namespace halyard::particles::device {

struct OnGpu {
  exchange::gpu::GpuSurroundings around;
  int ordinal = 0;

  Gpu gpu() const { return {around.device.get(), ordinal}; }
  /// Waits for what searches and copies have enqueued. Throws Error.
  void synchronize() const { around.device->synchronize({}, ordinal).or_throw(); }
};

/// Throws Error(invalid_argument) when positions are not aligned to their scalar.
Coordinates coordinates_on_gpu(const Particles& particles, const Roles& roles);

/// An array as kernels see it.
pack::device::ElementArray element_array(const Particles& particles, const Roles& roles, std::size_t array);

}  // namespace halyard::particles::device
