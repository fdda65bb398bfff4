// See words.hpp.
#include "input/words.hpp"

#include <charconv>
#include <cmath>

namespace halyard::md {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

/// std::from_chars knows no plus sign.
std::string_view without_plus(std::string_view word) {
  const bool has_plus = word.size() > 1 && word[0] == '+' && word[1] != '-';
  return has_plus ? word.substr(1) : word;
}

template <class T>
std::optional<T> number(std::string_view word) {
  word = without_plus(word);
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t begin = line.find_first_not_of(kBlanks);
  while (begin != std::string_view::npos) {
    const std::size_t end = line.find_first_of(kBlanks, begin);
    words.push_back(line.substr(begin, end == std::string_view::npos ? end : end - begin));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::optional<std::int64_t> whole_number(std::string_view word) { return number<std::int64_t>(word); }

std::optional<double> finite_number(std::string_view word) {
  const std::optional<double> value = number<double>(word);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string shown;
  for (const char c : text.substr(0, kMost)) shown += c >= ' ' && c <= '~' ? c : '?';
  if (text.size() > kMost) shown += "...";
  return "'" + shown + "'";
}

}  // namespace halyard::md
