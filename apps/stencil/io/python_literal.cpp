// Scans Python literals; accepts what Python's literal_eval accepts of strings, booleans and tuples
// of whole numbers.
#include "io/python_literal.hpp"

#include <charconv>
#include <stdexcept>

namespace halyard::stencil {

void PythonLiteral::fail(const std::string& wanted) {
  std::string text = "its dictionary has ";
  if (rest_.empty())
    text += "its end";
  else
    text.append("'").append(rest_.substr(0, 20)).append("'");
  throw std::invalid_argument(text.append(" where ").append(wanted).append(" was expected"));
}

char PythonLiteral::next() {
  while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_.front()) != std::string_view::npos)
    rest_.remove_prefix(1);
  return rest_.empty() ? '\0' : rest_.front();
}

bool PythonLiteral::at_end() { return next() == '\0'; }

bool PythonLiteral::takes(char c) {
  if (next() != c) return false;
  rest_.remove_prefix(1);
  return true;
}

void PythonLiteral::take(char c) {
  if (!takes(c)) fail({'\'', c, '\''});
}

std::string PythonLiteral::take_string() {
  const char quote = next();
  if (quote != '\'' && quote != '"') fail("a string");
  const std::size_t end = rest_.find(quote, 1);
  if (end == std::string_view::npos) fail("a string with an end");
  const std::string text(rest_.substr(1, end - 1));
  rest_.remove_prefix(end + 1);
  return text;
}

bool PythonLiteral::take_bool() {
  next();
  for (const std::string_view word : {"True", "False"}) {
    if (rest_.substr(0, word.size()) != word) continue;
    rest_.remove_prefix(word.size());
    return word == "True";
  }
  fail("True or False");
}

std::int64_t PythonLiteral::take_number() {
  next();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc{} || value < 0) fail("a whole number below 2^63");
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  takes('L');  // written by Python 2
  return value;
}

std::vector<std::int64_t> PythonLiteral::take_numbers() {
  const bool is_list = takes('[');
  if (!is_list) take('(');
  const char close = is_list ? ']' : ')';
  std::vector<std::int64_t> numbers;
  while (!takes(close)) {
    numbers.push_back(take_number());
    if (takes(close)) break;
    take(',');
  }
  return numbers;
}

}  // namespace halyard::stencil
