// explain_table: a plan as a table for people, with the form each path has taken on where a binding knows it.
#pragma once

#include <span>
#include <string>

#include "halyard/plan.hpp"

namespace halyard::plan {

/// How one neighbor's path is used, and why not in a better way.
struct Form {
  std::string name;    // "direct", "mailbox", …
  std::string reason;  // empty when there is no better one
};

/// `forms` by neighbor, or empty for a plan that is not bound yet.
std::string explain_table(const Plan& plan, std::span<const Form> forms);

}  // namespace halyard::plan
