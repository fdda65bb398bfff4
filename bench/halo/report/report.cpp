// Writing of results; see report.hpp.
#include "halo/report/report.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "common/json_file.hpp"
#include "halo/report/table.hpp"

namespace halyard::bench {

Report::Report(MPI_Comm comm, RunFacts run, const std::string& json_file) : run_(std::move(run)) {
  is_writer_ = open_json(comm, json_file, json_);
  if (is_writer_) fmt::print("{}", table_head(run_));
}

void Report::add(const CaseResult& result) {
  if (!is_writer_) return;
  fmt::print("{}", table_of(run_, result));
  std::fflush(stdout);
  if (json_.is_open()) json_ << json_lines(run_, result) << std::flush;
}

}  // namespace halyard::bench
