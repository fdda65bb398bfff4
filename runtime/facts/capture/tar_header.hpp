// The 512 bytes before each member of a tar archive (POSIX.1-1988 ustar). Pure data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace halyard::facts {

inline constexpr std::size_t kTarBlock = 512;

struct TarHeader {
  std::array<char, 100> name;
  std::array<char, 8> mode;
  std::array<char, 8> owner;
  std::array<char, 8> group;
  std::array<char, 12> size;
  std::array<char, 12> time;
  std::array<char, 8> checksum;
  char type;
  std::array<char, 100> link;
  std::array<char, 6> magic;
  std::array<char, 2> version;
  std::array<char, 32> owner_name;
  std::array<char, 32> group_name;
  std::array<char, 8> major;
  std::array<char, 8> minor;
  std::array<char, 155> prefix;
  std::array<char, 12> rest;
};
static_assert(sizeof(TarHeader) == kTarBlock);

/// Up to the first NUL.
template <std::size_t N>
std::string_view tar_text(const std::array<char, N>& field) {
  return {field.data(), strnlen(field.data(), N)};
}

/// Octal digits; nothing for anything else (GNU's base 256 included: no member of ours is so large).
template <std::size_t N>
std::optional<std::uint64_t> tar_number(const std::array<char, N>& field) {
  std::uint64_t value = 0;
  bool has_digit = false;
  for (const char c : field) {
    if (c >= '0' && c <= '7') {
      value = value * 8 + static_cast<std::uint64_t>(c - '0');
      has_digit = true;
    } else if (c != ' ' && c != '\0') {
      return std::nullopt;
    } else if (has_digit) {
      break;
    }
  }
  return value;
}

/// The sum of all bytes with those of the checksum taken as blanks.
inline std::uint64_t tar_checksum(const TarHeader& header) {
  const std::uint64_t blanks = 8 * std::uint64_t{' '};
  std::uint64_t sum = blanks;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&header);
  const auto first = offsetof(TarHeader, checksum);
  for (std::size_t i = 0; i < sizeof header; ++i)
    if (i < first || i >= first + sizeof header.checksum) sum += bytes[i];
  return sum;
}

}  // namespace halyard::facts
