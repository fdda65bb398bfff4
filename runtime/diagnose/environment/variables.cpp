// See variables.hpp.
#include "diagnose/environment/variables.hpp"

#include <algorithm>
#include <cctype>

namespace halyard::diagnose {
namespace {

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

}  // namespace

Variables variables_of(std::string_view block) {
  const char separator = block.find('\0') == std::string_view::npos ? '\n' : '\0';
  Variables variables;
  for (std::size_t begin = 0; begin < block.size();) {
    const auto end = std::min(block.find(separator, begin), block.size());
    const auto entry = block.substr(begin, end - begin);
    if (const auto equals = entry.find('='); equals != std::string_view::npos && equals > 0)
      variables.push_back({std::string(entry.substr(0, equals)), std::string(entry.substr(equals + 1))});
    begin = end + 1;
  }
  return variables;
}

std::optional<std::string_view> value_of(const Variables& variables, std::string_view name) {
  const auto found = std::find_if(variables.begin(), variables.end(), [&](const auto& v) { return v.name == name; });
  if (found == variables.end()) return std::nullopt;
  return found->value;
}

std::vector<std::string_view> words_of(std::string_view list, std::string_view separators) {
  std::vector<std::string_view> words;
  for (std::size_t begin = list.find_first_not_of(separators); begin != std::string_view::npos;) {
    const auto end = std::min(list.find_first_of(separators, begin), list.size());
    words.push_back(list.substr(begin, end - begin));
    begin = list.find_first_not_of(separators, end);
  }
  return words;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace halyard::diagnose
