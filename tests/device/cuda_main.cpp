// Runs the tests of the CUDA twin, or says why they cannot run here.
#include <gtest/gtest.h>

#include <iostream>

#include "device/factory.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const halyard::device::Opened opened = halyard::device::open_cuda();
  if (!opened.device) {
    std::cout << "SKIP: " << opened.text << std::endl;
    return 77;
  }
  std::cout << opened.text << ": " << opened.device->describe(0) << std::endl;
  return RUN_ALL_TESTS();
}
