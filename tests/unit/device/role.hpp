// Runs one test of this very program in a process that is started anew: nothing inherited, another address layout, a
// GPU driver of its own.
#pragma once

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "unit/device/child_process.hpp"

namespace halyard::test {

inline constexpr const char* kRoleVariable = "TEST_ROLE_ARGUMENT";

inline std::string to_hex(const std::vector<std::byte>& bytes) {
  std::string text;
  for (const std::byte b : bytes)
    for (const unsigned digit : {unsigned(b) >> 4, unsigned(b) & 15}) text += "0123456789abcdef"[digit];
  return text;
}

inline std::vector<std::byte> from_hex(std::string_view text) {
  std::vector<std::byte> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    unsigned value = 0;
    std::from_chars(text.data() + 2 * i, text.data() + 2 * i + 2, value, 16);
    bytes[i] = static_cast<std::byte>(value);
  }
  return bytes;
}

/// The exit code of test `name` ("Suite.test") in its own process, where role_argument() gives `argument`.
inline int run_role(const std::string& name, const std::vector<std::byte>& argument) {
  setenv(kRoleVariable, to_hex(argument).c_str(), 1);
  const std::string filter = "--gtest_filter=" + name;
  const int code = in_child([&] { return execl("/proc/self/exe", "role", filter.c_str(), nullptr); });
  unsetenv(kRoleVariable);
  return code;
}

/// Nothing when the program runs its tests: a role then has nothing to do.
inline std::optional<std::vector<std::byte>> role_argument() {
  const char* text = std::getenv(kRoleVariable);
  if (text == nullptr) return std::nullopt;
  return from_hex(text);
}

}  // namespace halyard::test
