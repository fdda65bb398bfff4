// explain_table: a plan as a table for people, with the form each path has taken on where a binding knows it.
#pragma once

#include <span>
#include <string>

#include "halyard/plan.hpp"

namespace halyard::plan {

/// `forms` by neighbor ("direct", "mailbox", …), or empty for a plan that is not bound yet.
std::string explain_table(const Plan& plan, std::span<const std::string> forms);

}  // namespace halyard::plan
