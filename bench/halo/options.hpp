// HaloBenchOptions: what `halyard bench halo` was asked for. Filled by tools/, checked here, the
// same on every rank.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "halo/geometry.hpp"

namespace halyard::bench {

enum class Cache { warm, cold };

/// A request that makes no sense; the command ends with exit code 2.
class UsageError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

struct HaloBenchOptions {
  std::vector<std::int64_t> cells{64, 128};
  std::vector<std::int64_t> widths{1, 3};
  std::vector<int> fields{1, 8};
  std::vector<std::string> only;  // methods; empty: all that are default
  std::vector<Cache> caches{Cache::warm, Cache::cold};
  std::vector<std::int64_t> ranks;  // process grid; empty: balanced
  int rounds = 30;
  std::string json_file;  // empty: none
  std::string mpi_name;   // how the MPI tuning is called in the results
};

/// Throws UsageError that names the option, its value and what is allowed.
void check(const HaloBenchOptions& options, int num_ranks);

/// The process grid that was asked for, or the balanced one.
Index3 process_grid(const HaloBenchOptions& options, int num_ranks);

/// The matrix of cases: fields fastest, cells slowest.
std::vector<BenchCase> cases_of(const HaloBenchOptions& options);

}  // namespace halyard::bench
