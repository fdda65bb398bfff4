// RunFacts and Report: where the results of a halo bench go, on the terminal and as JSON lines.
//
// A Report exists on every rank; only rank 0 writes. Opening the JSON file is agreed on all ranks.
#pragma once

#include <mpi.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/json_file.hpp"
#include "common/machine.hpp"
#include "halo/report/result.hpp"

namespace halyard::bench {

/// A method that others are compared with: a column of the table.
struct RatioBase {
  std::string_view method;
  std::string_view column;  // empty: in the JSON lines only
};

/// The GPUs of a run; no name when the fields lie in host memory.
struct GpuFacts {
  std::string name;
  std::string driver;
  int num_gpus = 0;
};

struct RunFacts {
  Machine machine;
  std::string commit;
  std::string mpi_name;
  int num_ranks = 1;
  int rounds = 0;
  int batch_ms = 1;
  std::vector<RatioBase> ratio_bases;
  GpuFacts gpu;
};

class Report {
 public:
  /// Throws UsageError on every rank when the file cannot be written. Collective.
  Report(MPI_Comm comm, RunFacts run, const std::string& json_file);

  void add(const CaseResult& result);

 private:
  RunFacts run_;
  JsonFile json_;
};

/// One line per method that ran, each with its line end.
std::string json_lines(const RunFacts& run, const CaseResult& result);

}  // namespace halyard::bench
