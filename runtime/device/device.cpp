// Names of what device.hpp declares.
#include "device/device.hpp"

#include <string_view>

namespace halyard::device {

std::string_view name_of(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::host:
      return "host";
    case MemoryKind::pinned:
      return "pinned";
    case MemoryKind::managed:
      return "managed";
    case MemoryKind::device:
      return "device";
  }
  return "unknown";
}

}  // namespace halyard::device
