// See variables.hpp.
#include "diagnose/environment/variables.hpp"

#include <algorithm>
#include <cctype>

namespace halyard::diagnose {
namespace {

char lower(char letter) { return static_cast<char>(std::tolower(static_cast<unsigned char>(letter))); }

}  // namespace

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace halyard::diagnose
