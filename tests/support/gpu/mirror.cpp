// See gpu_mirror.hpp.
#include "support/gpu/mirror.hpp"

#include "exchange/view_check.hpp"

namespace halyard::test {

std::shared_ptr<void> gpu_memory(const std::shared_ptr<device::Device>& device, int ordinal, std::size_t bytes) {
  return {device->allocate(ordinal, bytes), [device](void* memory) { device->deallocate(memory); }};
}

GpuMirror::GpuMirror(std::shared_ptr<device::Device> device, int ordinal, std::span<const FieldView> host_views,
                     const Allocate& allocate)
    : device_(std::move(device)), views_(host_views.begin(), host_views.end()) {
  for (FieldView& view : views_) {
    const auto host = exchange::span_of(view);
    if (host.empty()) {
      copies_.push_back({});
      view.data = nullptr;
      continue;
    }
    const auto gpu = allocate ? allocate(host.size()) : gpu_memory(device_, ordinal, host.size());
    copies_.push_back({host, gpu});
    view.data = static_cast<std::byte*>(gpu.get()) + (static_cast<std::byte*>(view.data) - host.data());
  }
}

void GpuMirror::upload() {
  for (const Copy& copy : copies_)
    if (!copy.host.empty()) device_->copy(copy.gpu.get(), copy.host.data(), copy.host.size());
}

void GpuMirror::download() {
  for (const Copy& copy : copies_)
    if (!copy.host.empty()) device_->copy(copy.host.data(), copy.gpu.get(), copy.host.size());
}

}  // namespace halyard::test
