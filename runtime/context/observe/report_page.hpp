// report_page: all ranks' metrics on one page for people. Pure.
#pragma once

#include <string>
#include <vector>

#include "halyard/metrics.hpp"

namespace halyard::context {

/// `ranks`: those that were heard; `missing`: those that were not.
std::string report_page(const std::vector<Metrics>& ranks, const std::vector<int>& missing);

}  // namespace halyard::context
