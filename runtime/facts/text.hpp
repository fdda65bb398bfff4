// Small readers of the text that /sys, /proc and programs write. Pure; any thread; never throw on damaged text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/root.hpp"

namespace halyard::facts {

/// Without blanks, line breaks and NULs at both ends.
std::string_view trimmed(std::string_view text);
/// The first line, trimmed.
std::string_view first_line(std::string_view text);
std::vector<std::string_view> lines_of(std::string_view text);
/// Non-empty parts between any of `separators`.
std::vector<std::string_view> split(std::string_view text, std::string_view separators = " \t\n");

/// A whole trimmed number, decimal or with 0x; nothing when there is anything else, or when it does not fit.
std::optional<std::int64_t> number_in(std::string_view text);
/// Hexadecimal digits without 0x.
std::optional<std::uint64_t> hex_in(std::string_view text);
/// The number that a text starts with: 16 of "16.0 GT/s PCIe" (16.0).
std::optional<double> leading_number(std::string_view text);

/// What follows "Key:" or "Key =" in the first line that starts so (blanks before it and after it are dropped).
std::optional<std::string_view> value_of(std::string_view text, std::string_view key);

/// CPUs or nodes in a list like "0-3,8,10-11"; nothing when it is no such list, or names more than 65,536.
std::optional<std::vector<int>> list_in(std::string_view text);

/// For evidence: printable, one line, at most `most` characters; line breaks become " | ".
std::string quoted_text(std::string_view text, std::size_t most = 160);

/// For evidence: `/sys/module/nvidia_peermem: missing`, `/sys/…/mtu: "4096"`.
std::string evidence_of(std::string_view path, const Reading& reading);

}  // namespace halyard::facts
