// bind: a binding of fields in GPU memory. Collective; called by context/binding.cpp.
#pragma once

#include <memory>
#include <span>

#include "context/bootstrap.hpp"
#include "exchange/gpu/assembly.hpp"

namespace halyard::context::gpu {

std::unique_ptr<BindingCore> bind(Bootstrap& bootstrap, Plan plan, std::span<const FieldView> views,
                                  const exchange::gpu::GpuSurroundings& around);

/// Where a rank's fields lie, agreed on by all ranks: GPU memory if any rank's do. Collective. Throws the same Error on
/// every rank when on one of them the fields lie in several places.
Memory memory_of(Bootstrap& bootstrap, std::span<const FieldView> views, const device::Device* device);

/// Throws Error(invalid_argument) when the fields lie elsewhere than the plan says.
void check_memory(const Plan& plan, std::span<const FieldView> views, const device::Device* device);

}  // namespace halyard::context::gpu
