// run_program: the output of a program, bounded in bytes and time. For the live root only.
#pragma once

#include <string_view>

#include "facts/root.hpp"

namespace halyard::facts {

/// Runs the words of `command_line` (no shell, PATH is searched, stdin empty, LC_ALL=C) and returns stdout and stderr
/// as one text. Missing when there is no such program; unusable, with the text so far, when it fails or takes longer
/// than `timeout_ms`, then it is killed.
Reading run_program(std::string_view command_line, int timeout_ms = 10'000);

}  // namespace halyard::facts
