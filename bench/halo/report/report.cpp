// Writing of results; see report.hpp.
#include "halo/report/report.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "halo/report/table.hpp"

namespace halyard::bench {

Report::Report(MPI_Comm comm, RunFacts run, const std::string& json_file) : run_(std::move(run)) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  is_writer_ = rank == 0;
  int failure = 0;
  if (is_writer_ && !json_file.empty()) {
    json_.open(json_file, std::ios::trunc);
    if (!json_) failure = errno;
  }
  MPI_Bcast(&failure, 1, MPI_INT, 0, comm);
  if (failure != 0)
    throw UsageError(fmt::format("--json {}: cannot be written: {}", json_file, std::strerror(failure)));
  if (is_writer_) fmt::print("{}", table_head(run_));
}

void Report::add(const CaseResult& result) {
  if (!is_writer_) return;
  fmt::print("{}", table_of(run_, result));
  std::fflush(stdout);
  if (json_.is_open()) json_ << json_lines(run_, result) << std::flush;
}

}  // namespace halyard::bench
