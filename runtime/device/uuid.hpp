// How a GPU's identity is written: "GPU-1b2c3d4e-…", as nvidia-smi does. Pure; any thread.
#pragma once

#include <string>

#include "device/device.hpp"

namespace halyard::device {

std::string text_of(const Uuid& uuid);

}  // namespace halyard::device
