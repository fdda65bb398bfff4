// Result: what a run found, as far as rank 0 needs it to report. Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halyard/box.hpp"
#include "halyard/plan.hpp"
#include "options.hpp"
#include "report/timing.hpp"

namespace halyard::stencil {

/// How one rank's halo reaches one neighbor.
struct PathLine {
  int rank = 0;
  int neighbor = 0;
  std::string path;
  std::string reason;      // why no better path was taken
  std::int64_t bytes = 0;  // sent in each step
};

struct Result {
  Settings settings;
  Index3 cells{0, 0, 0};
  Index3 ranks{1, 1, 1};  // the process grid
  double coefficient = 0;
  StepSpreads times;
  std::vector<PathLine> paths;  // of all ranks
  std::optional<double> error;  // of --verify
  std::string gpu;              // name of rank 0's; empty on the host

  int num_ranks() const { return static_cast<int>(ranks[0] * ranks[1] * ranks[2]); }
  std::int64_t bytes_per_step() const;
  bool is_verified() const;
};

/// This rank's lines.
std::vector<PathLine> path_lines(const Plan& plan);

}  // namespace halyard::stencil
