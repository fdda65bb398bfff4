// Short ways to build findings, for checks. Pure.
#pragma once

#include <string>
#include <vector>

#include "diagnose/finding.hpp"
#include "facts/root.hpp"

namespace halyard::diagnose {

/// The one finding of a check that has nothing to look at, with what that was concluded from.
Findings nothing_to_check(std::string why, std::vector<std::string> evidence = {});

/// Reads `path` and adds it to `evidence`, as it was found.
facts::Reading read_as_evidence(const facts::Root& root, const std::string& path, std::vector<std::string>& evidence);

/// "a", "a and b", "a, b and c", and from the sixth on "… and 7 more".
std::string listed(const std::vector<std::string>& names);

}  // namespace halyard::diagnose
