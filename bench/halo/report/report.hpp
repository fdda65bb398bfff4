// RunFacts and Report: where the results of a halo bench go, on the terminal and as JSON lines.
//
// A Report exists on every rank; only rank 0 writes. Opening the JSON file is agreed on all ranks.
#pragma once

#include <mpi.h>

#include <fstream>
#include <string>

#include "common/machine.hpp"
#include "halo/report/result.hpp"

namespace halyard::bench {

struct RunFacts {
  Machine machine;
  std::string commit;
  std::string mpi_name;
  int num_ranks = 1;
  Index3 grid{1, 1, 1};
  int rounds = 0;
};

class Report {
 public:
  /// Throws UsageError on every rank when the file cannot be written. Collective.
  Report(MPI_Comm comm, RunFacts run, const std::string& json_file);

  void add(const CaseResult& result);

 private:
  RunFacts run_;
  bool is_writer_ = false;
  std::ofstream json_;
};

/// One line per method that ran, each with its line end.
std::string json_lines(const RunFacts& run, const CaseResult& result);

}  // namespace halyard::bench
