// device_under_test: the GPU twin that a test program is linked with. The same test bodies run on the emulated device
// everywhere, and on CUDA where there is a GPU.
#pragma once

#include <memory>

#include "device/device.hpp"

namespace halyard::test {

/// Null where there is none; then skipped_without_gpu() says why and the program exits with 77.
std::shared_ptr<device::Device> device_under_test();

}  // namespace halyard::test
