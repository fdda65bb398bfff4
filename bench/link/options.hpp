// LinkBenchOptions: what `halyard bench link` was asked for. Filled by tools/, checked here, the same on every rank.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/usage_error.hpp"

namespace halyard::bench {

struct LinkBenchOptions {
  std::vector<std::int64_t> bytes{8, 64, 512, 4096, 32'768, 262'144, 2'097'152, 16'777'216, 67'108'864};
  std::vector<std::string> only;  // methods; empty: all that are open here
  int rounds = 30;
  double seconds = 20;    // of one size, all methods together; ends it early, after three rounds
  std::string json_file;  // empty: none
  std::string mpi_name;   // how the MPI tuning is called in the results
};

/// Throws UsageError that names the option, its value and what is allowed.
void check(const LinkBenchOptions& options, int num_ranks);

}  // namespace halyard::bench
