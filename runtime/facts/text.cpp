// See text.hpp.
#include "facts/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace halyard::facts {
namespace {

constexpr std::string_view kBlank{" \t\r\n\v\f\0", 7};
constexpr int kMostInList = 65'536;

template <class Number>
std::optional<Number> whole_number(std::string_view text, int base) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

std::string_view first_line(std::string_view text) { return trimmed(text.substr(0, text.find('\n'))); }

std::vector<std::string_view> lines_of(std::string_view text) { return split(text, "\n"); }

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  while ((begin = text.find_first_not_of(separators, begin)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return parts;
}

std::optional<std::int64_t> number_in(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with("0x") || text.starts_with("0X")) return whole_number<std::int64_t>(text.substr(2), 16);
  return whole_number<std::int64_t>(text, 10);
}

std::optional<std::uint64_t> hex_in(std::string_view text) { return whole_number<std::uint64_t>(trimmed(text), 16); }

std::optional<double> leading_number(std::string_view text) {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::string_view> value_of(std::string_view text, std::string_view key) {
  for (std::string_view line : lines_of(text)) {
    line = trimmed(line);
    if (!line.starts_with(key)) continue;
    const std::string_view rest = trimmed(line.substr(key.size()));
    if (rest.starts_with(':') || rest.starts_with('=')) return trimmed(rest.substr(1));
  }
  return std::nullopt;
}

std::optional<std::vector<int>> list_in(std::string_view text) {
  std::vector<int> members;
  for (const std::string_view part : split(trimmed(text), ",")) {
    const std::size_t dash = part.find('-');
    const auto first = whole_number<int>(trimmed(part.substr(0, dash)), 10);
    const auto last = dash == std::string_view::npos ? first : whole_number<int>(trimmed(part.substr(dash + 1)), 10);
    if (!first || !last || *first < 0 || *last < *first) return std::nullopt;
    if (*last - *first >= kMostInList - static_cast<int>(members.size())) return std::nullopt;
    for (int member = *first; member <= *last; ++member) members.push_back(member);
  }
  return members;
}

std::string quoted_text(std::string_view text, std::size_t most) {
  std::string result;
  for (const char c : trimmed(text)) {
    if (result.size() >= most) return result + "…";
    if (c == '\n')
      result += " | ";
    else
      result += c >= ' ' && c <= '~' ? c : c == '\t' ? ' ' : '?';
  }
  return result;
}

std::string evidence_of(std::string_view path, const Reading& reading) {
  std::string text(path);
  if (reading.ok()) return text + ": \"" + quoted_text(reading.text) + '"';
  text += ": " + std::string(name_of(reading.access));
  return reading.trouble.empty() ? text : text + " (" + quoted_text(reading.trouble) + ")";
}

}  // namespace halyard::facts
