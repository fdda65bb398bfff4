// The halo bench's table for people, at most 100 columns. Printed by rank 0; see bench/README.md.
#pragma once

#include <string>

#include "halo/report/report.hpp"
#include "halo/report/result.hpp"

namespace halyard::bench {

/// What all cases of a run have in common: machine, libraries, ranks.
std::string table_head(const RunFacts& run);
/// One case: a line on the case and one line per method.
std::string table_of(const RunFacts& run, const CaseResult& result);

}  // namespace halyard::bench
