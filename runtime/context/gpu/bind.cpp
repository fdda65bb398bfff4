// See bind.hpp.
#include "context/gpu/bind.hpp"

#include <algorithm>

#include "exchange/view_check.hpp"

namespace halyard::context::gpu {

std::unique_ptr<BindingCore> bind(Bootstrap& bootstrap, Plan plan, std::span<const FieldView> views,
                                  const exchange::gpu::GpuSurroundings& around) {
  std::unique_ptr<exchange::gpu::GpuAssembly> assembly;
  std::vector<transport::Blob> blobs;
  bootstrap.together("bind fields on a GPU", [&] {
    if (around.device == nullptr)
      throw Error(StatusCode::not_supported,
                  "bind a plan for GPU memory: this process has no GPU; see HALYARD_DEVICE and Context::explain()");
    assembly = std::make_unique<exchange::gpu::GpuAssembly>(std::move(plan), views, around);
    blobs = assembly->windows();
  });
  const auto ranks = assembly->remote_ranks();
  auto theirs = bootstrap.swap(ranks, blobs);
  bootstrap.together("map the neighbors' GPU memory", [&] {
    assembly->open(theirs);
    blobs = assembly->verdicts();
  });
  theirs = bootstrap.swap(ranks, blobs);
  bootstrap.together("open channels", [&] {
    assembly->decide(theirs);
    blobs = assembly->addresses();
  });
  theirs = bootstrap.swap(ranks, blobs);
  std::unique_ptr<BindingCore> binding;
  bootstrap.together("connect channels", [&] { binding = assembly->connect(theirs); });
  return binding;
}

Memory memory_of(Bootstrap& bootstrap, std::span<const FieldView> views, const device::Device* device) {
  int gpu = -1;
  bootstrap.together("look where fields lie", [&] { gpu = exchange::gpu::gpu_of(views, device); });
  const std::vector<std::uint8_t> mine(static_cast<std::size_t>(bootstrap.size()), gpu >= 0 ? 1 : 0);
  const auto all = bootstrap.all_to_all(mine);
  return std::count(all.begin(), all.end(), 1) > 0 ? Memory::gpu : Memory::host;
}

void check_memory(const Plan& plan, std::span<const FieldView> views, const device::Device* device) {
  const bool is_on_gpu = exchange::gpu::gpu_of(views, device) >= 0;
  if (is_on_gpu && plan.memory() == Memory::host)
    throw Error(StatusCode::invalid_argument,
                "bind fields in GPU memory to a plan for host memory; make the plan with Memory::gpu");
  const bool has_memory =
      std::any_of(views.begin(), views.end(), [](const FieldView& v) { return !exchange::span_of(v).empty(); });
  if (!is_on_gpu && has_memory && plan.memory() == Memory::gpu)
    throw Error(StatusCode::invalid_argument,
                "bind fields in host memory to a plan for GPU memory; make the plan with Memory::host, or pass device "
                "pointers");
}

}  // namespace halyard::context::gpu
