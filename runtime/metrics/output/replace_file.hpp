// replace_file: a file with new contents, whole or not at all: readers see the old ones or the new ones. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace halyard::metrics {

/// Writes beside `name` and renames. Throws Error(out_of_resources) that says what the system answered.
void replace_file(const std::string& name, std::string_view contents);

}  // namespace halyard::metrics
