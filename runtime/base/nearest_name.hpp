// nearest_name: the known name that a mistyped one most likely meant. Pure; any thread.
#pragma once

#include <span>
#include <string_view>

namespace halyard::base {

/// The entry of `known` with the smallest edit distance to `name`; empty when `known` is.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace halyard::base
