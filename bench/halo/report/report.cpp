// Writing of results; see report.hpp.
#include "halo/report/report.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "halo/report/table.hpp"

namespace halyard::bench {

Report::Report(MPI_Comm comm, RunFacts run, const std::string& json_file)
    : run_(std::move(run)), json_(comm, json_file) {
  if (json_.is_writer()) fmt::print("{}", table_head(run_));
}

void Report::add(const CaseResult& result) {
  if (!json_.is_writer()) return;
  fmt::print("{}", table_of(run_, result));
  std::fflush(stdout);
  json_.write(json_lines(run_, result));
}

}  // namespace halyard::bench
