// See uuid.hpp.
#include "device/uuid.hpp"

#include <fmt/format.h>

namespace halyard::device {

std::string text_of(const Uuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned>(uuid[i]));
  }
  return text;
}

}  // namespace halyard::device
