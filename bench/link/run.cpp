// From options to results of the link bench; see run.hpp.
#include "link/run.hpp"

#include <algorithm>

#include "halyard/version.hpp"
#include "link/measure.hpp"
#include "link/report.hpp"

namespace halyard::bench {
namespace {

LinkFacts facts_of(const LinkBenchOptions& options, const Lines& lines) {
  LinkFacts facts{read_machine(), std::string(commit()), options.mpi_name, {}};
  if (facts.mpi_name.empty()) facts.mpi_name = facts.machine.pml;
  for (const std::string_view name : kLineNames)
    if (const std::string detail = lines.detail(name); !detail.empty())
      facts.details.push_back(std::string(name) + ": " + detail);
  return facts;
}

bool is_good(const LinkResult& result, const LinkBenchOptions& options) {
  return result.not_run.empty() ? result.is_verified : options.only.empty();
}

}  // namespace

int run_link_bench(MPI_Comm comm, const LinkBenchOptions& options) {
  int num_ranks = 0;
  MPI_Comm_size(comm, &num_ranks);
  check(options, num_ranks);
  Lines lines(comm);
  LinkReport report(comm, facts_of(options, lines), options.json_file);
  bool all_good = true;
  for (const std::int64_t bytes : options.bytes) {
    const auto results = SizeBench(comm, lines, options, bytes).run();
    report.add(bytes, results);
    for (const LinkResult& result : results) all_good = all_good && is_good(result, options);
  }
  return all_good ? 0 : 1;
}

}  // namespace halyard::bench
