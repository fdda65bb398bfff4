// json_text: a text as a JSON string, quotes included. Pure; any thread. For the few files that write JSON by hand.
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

namespace halyard::base {

/// Bytes that are no UTF-8 are passed on as they are.
inline std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
      quoted += escape.data();
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace halyard::base
