// explain_table: a plan as a table for people, explain_json for programs; with the form each path has taken on, and
// what was measured, where a binding knows it.
#pragma once

#include <span>
#include <string>

#include "halyard/plan.hpp"

namespace halyard::plan {

/// How one neighbor's path is used, and why not in a better way.
struct Form {
  std::string name;        // "direct", "mailbox", …
  std::string reason;      // empty when there is no better one
  double measured_us = 0;  // mean time of the wire; 0 when nothing was timed
};

/// `forms` by neighbor, or empty for a plan that is not bound yet.
std::string explain_table(const Plan& plan, std::span<const Form> forms);
std::string explain_json(const Plan& plan, std::span<const Form> forms);

}  // namespace halyard::plan
