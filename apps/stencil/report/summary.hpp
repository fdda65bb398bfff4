// Summary: the result in words, for the end of a run.
#pragma once

#include <string>

#include "report/result.hpp"

namespace halyard::stencil {

/// Several lines, with a line break at the end.
std::string summary_of(const Result& result);

}  // namespace halyard::stencil
