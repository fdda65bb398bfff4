// The emulated twin, see device_under_test.hpp. Two GPUs.
#include "device/emulated.hpp"
#include "support/gpu/device_under_test.hpp"

namespace halyard::test {

std::shared_ptr<device::Device> device_under_test() { return device::EmulatedDevice::make(2); }

}  // namespace halyard::test
