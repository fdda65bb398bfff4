// The CUDA twin, see device_under_test.hpp, with a main that says why nothing ran where there is no GPU.
#include <gtest/gtest.h>

#include <cstdio>

#include "device/factory.hpp"
#include "support/gpu/device_under_test.hpp"

namespace halyard::test {

std::shared_ptr<device::Device> device_under_test() { return device::open_cuda().device; }

}  // namespace halyard::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const auto opened = halyard::device::open_cuda();
  if (opened.device == nullptr) {
    std::printf("SKIP: %s\n", opened.text.c_str());
    return 77;
  }
  return RUN_ALL_TESTS();
}
