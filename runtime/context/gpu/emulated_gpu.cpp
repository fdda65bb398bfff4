// The public EmulatedGpu, see halyard/emulated.hpp.
#include <fmt/format.h>

#include <utility>

#include "context/context_core.hpp"
#include "device/emulated.hpp"
#include "halyard/emulated.hpp"

namespace halyard {

struct EmulatedGpu::Core {
  std::shared_ptr<device::EmulatedDevice> device;
  int ordinal = 0;
};

EmulatedGpu::EmulatedGpu(const Context& context) {
  const auto& device = context.core()->shared_device();
  auto emulated = std::dynamic_pointer_cast<device::EmulatedDevice>(device);
  if (emulated == nullptr)
    throw Error(StatusCode::not_supported,
                fmt::format("use the emulated device: the context has {}; set Options::device to \"emulated\", and "
                            "HALYARD_DEVICE, which wins, to the same or not at all",
                            device == nullptr ? "no device" : fmt::format("device {}", device->kind())));
  const int ordinal = emulated->current_gpu();
  core_ = std::make_unique<Core>(Core{std::move(emulated), ordinal});
}

EmulatedGpu::EmulatedGpu(EmulatedGpu&&) noexcept = default;
EmulatedGpu& EmulatedGpu::operator=(EmulatedGpu&&) noexcept = default;
EmulatedGpu::~EmulatedGpu() = default;

void* EmulatedGpu::allocate(std::size_t bytes) { return core_->device->allocate(core_->ordinal, bytes); }
void EmulatedGpu::deallocate(void* memory) noexcept { core_->device->deallocate(memory); }
void EmulatedGpu::copy(void* target, const void* source, std::size_t bytes) {
  core_->device->copy(target, source, bytes);
}
void* EmulatedGpu::host_view(const void* address) const { return core_->device->host_view(address); }

Stream EmulatedGpu::create_stream(std::chrono::microseconds delay) {
  const Stream stream = core_->device->create_stream(core_->ordinal);
  core_->device->set_delay(stream, delay);
  return stream;
}
void EmulatedGpu::destroy_stream(Stream stream) noexcept { core_->device->destroy_stream(stream); }
void EmulatedGpu::enqueue(Stream stream, std::function<void()> work) {
  core_->device->enqueue(stream, std::move(work)).or_throw();
}
void EmulatedGpu::synchronize(Stream stream) { core_->device->synchronize(stream, core_->ordinal).or_throw(); }

}  // namespace halyard
