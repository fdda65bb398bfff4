// Checks that the caller's views can hold what a plan moves. Set-up; throws Error(invalid_argument).
#pragma once

#include <cstddef>
#include <span>

#include "halyard/field.hpp"
#include "halyard/plan.hpp"

namespace halyard::exchange {

/// One view per field and local patch, of the planned element, with room for every cell that moves.
void check_views(const Plan& plan, std::span<const FieldView> views);

/// The bytes that a view spans, from its lowest address on.
std::span<std::byte> span_of(const FieldView& view);

}  // namespace halyard::exchange
