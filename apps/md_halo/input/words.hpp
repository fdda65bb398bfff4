// Words: numbers and words of a line of text, read strictly.
//
// The whole word must be the number, and numbers must be finite: "1e", "0x3", "nan" and "12," are refused. Pure
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::md {

/// Separated by blanks and tabs.
std::vector<std::string_view> words_of(std::string_view line);

std::optional<std::int64_t> whole_number(std::string_view word);
/// Absent also for what a double cannot hold.
std::optional<double> finite_number(std::string_view word);

/// For messages: in quotes, long or unprintable text cut or replaced.
std::string in_quotes(std::string_view text);

}  // namespace halyard::md
