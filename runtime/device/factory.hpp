// Opens the GPU driver, see device.hpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "device/device.hpp"

namespace halyard::device {

struct Opened {
  std::shared_ptr<Device> device;  // null: no GPU for this process
  std::string text;                // what was opened, or why nothing was ("built without CUDA", "no driver: …")
};

/// `choice`: auto (CUDA when there is a driver and a GPU, else nothing), none, cuda, emulated. Throws Error
/// (invalid_argument) for another word, Error(not_supported) when `cuda` is asked for and cannot be had. The same
/// object is given to every caller of the process for the same choice.
Opened open(std::string_view choice);

/// The CUDA twin, or null with the reason in `text`. In a build without CUDA it is always null.
Opened open_cuda();

}  // namespace halyard::device
