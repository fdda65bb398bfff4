// See kernel.hpp.
#include "pack/device/kernel.hpp"

#include "device/emulated.hpp"

namespace halyard::pack::device {

void load_kernels(halyard::device::Device& device, int ordinal) {
  if (device.kind() != "emulated") load_cuda_kernels(ordinal).or_throw();
}

Status launch(halyard::device::Device& device, int ordinal, const TracedLaunch& launch, Stream stream) {  // data path
  if (device.kind() != "emulated") return launch_cuda(launch, stream, ordinal);
  auto& emulated = static_cast<halyard::device::EmulatedDevice&>(device);
  return emulated.enqueue(stream, [launch, &emulated] {
    run_on_host(launch, [&](const void* address) { return emulated.host_view(address); });
  });
}

}  // namespace halyard::pack::device
