// The version of the library that is linked, as text.
#pragma once

#include <string_view>

#include "halyard/export.hpp"

namespace halyard {

/// "0.1.0"
HALYARD_API std::string_view version();
/// The commit that the library was built from, or "unknown".
HALYARD_API std::string_view commit();

}  // namespace halyard
