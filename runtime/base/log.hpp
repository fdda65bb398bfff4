// The log: one line to stderr, "halyard rank 3: …", at or above the level of Options::log. Any thread. Not for the data
// path.
#pragma once

#include <string_view>

namespace halyard::base {

/// Sets the level ("off", "error", "warn", "info", "debug") and the rank that lines begin with.
void set_log(std::string_view level, int rank);

void log_error(std::string_view text);
void log_warn(std::string_view text);
void log_info(std::string_view text);

}  // namespace halyard::base
