// See factory.hpp.
#include "device/factory.hpp"

#include <fmt/format.h>

#include "device/emulated.hpp"
#include "halyard/status.hpp"

namespace halyard::device {
namespace {

/// Made at the first call, given to every later one, destroyed when the process ends.
const Opened& emulated_of_process() {
  static const Opened opened = [] {
    auto device = EmulatedDevice::make();
    return Opened{device, fmt::format("{} emulated GPUs", device->num_gpus())};
  }();
  return opened;
}

Opened demand_cuda() {
  Opened opened = open_cuda();
  if (!opened.device)
    throw Error(StatusCode::not_supported,
                fmt::format("open device cuda: {}; choose auto, none or emulated", opened.text));
  return opened;
}

}  // namespace

Opened open(std::string_view choice) {
  if (choice == "auto") return open_cuda();
  if (choice == "none") return {nullptr, "no GPU was asked for"};
  if (choice == "cuda") return demand_cuda();
  if (choice == "emulated") return emulated_of_process();
  throw Error(StatusCode::invalid_argument,
              fmt::format("open device '{}': there is no such device; use auto, none, cuda or emulated", choice));
}

}  // namespace halyard::device
