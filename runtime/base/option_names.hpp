// The HALYARD_* variables that Options reads, for those who judge an environment without applying it. Any thread.
#pragma once

#include <span>
#include <string_view>

namespace halyard::base {

/// Every name, whole: "HALYARD_PATH", …
std::span<const std::string_view> option_names();

}  // namespace halyard::base
