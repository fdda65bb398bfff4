// What a live run found: pure data, for the report and for tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnose/finding.hpp"

namespace halyard::live {

struct Measurement {
  std::int64_t face_bytes = 0;  // of one message
  double median_us = 0;         // of one exchange, the slowest rank's
  double min_us = 0;
  double max_us = 0;
  double cpu_us = 0;  // processor time of one exchange, of all ranks together (getrusage)
};

/// One way to do the exchange.
struct WayResult {
  std::string name;     // "shared", "mpi", "direct", "staged"
  std::string path;     // the paths that the plan took: "peer", "shared,mpi (staged)"
  std::string not_run;  // why it could not be set up; empty: it ran
  std::int64_t num_wrong = 0;
  std::vector<Measurement> measurements;  // one for each size

  bool ran() const { return not_run.empty(); }
};

struct LiveResult {
  int num_ranks = 0;
  int num_nodes = 0;
  std::string memory;  // "host", "NVIDIA H200 (GPU-…)"
  bool is_gpu = false;
  std::string reference;  // the way that the others are compared with: "mpi", "staged"
  std::vector<WayResult> ways;
  std::vector<std::string> remarks;  // what was ignored for the comparison, and why
  std::string mpi_on_gpu;            // what MPI made of GPU memory, tried; empty: not tried
};

/// How many times `way` is as fast as the reference at the largest size; 0: not known.
double speed_up(const LiveResult& result, const WayResult& way);

/// In the doctor's vocabulary, check "live".
diagnose::Findings findings_of(const LiveResult& result);

}  // namespace halyard::live
