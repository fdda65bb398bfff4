// Variables: the environment of a process as data, live or from a captured tree. Read by the environment lint and by
// every check that asks what a job was started with. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::diagnose {

struct Variable {
  std::string name;
  std::string value;
};

using Variables = std::vector<Variable>;

/// Reads "NAME=value" entries with NUL between them, as /proc/PID/environ has them, or one a line. What is no
/// assignment is left out.
Variables variables_of(std::string_view block);

/// The value of `name`; nothing when it is not set.
std::optional<std::string_view> value_of(const Variables& variables, std::string_view name);

/// The words of a list, without blanks around them: "rc, cuda" -> "rc", "cuda".
std::vector<std::string_view> words_of(std::string_view list, std::string_view separators = ", ");

/// Case does not matter: "Socket" is "socket".
bool same_word(std::string_view a, std::string_view b);

}  // namespace halyard::diagnose
