// What the files of the environment lint share: variables as data, and words that are equal but for their case.
#pragma once

#include <string_view>
#include <vector>

#include "diagnose/machine.hpp"

namespace halyard::diagnose {

using Variables = std::vector<Variable>;

/// Case does not matter: "Socket" is "socket".
bool same_word(std::string_view a, std::string_view b);

}  // namespace halyard::diagnose
