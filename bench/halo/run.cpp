// From options to results of the halo bench; see run.hpp.
#include "halo/run.hpp"

#include <algorithm>

#include "halo/measure.hpp"
#include "halo/report/report.hpp"
#include "halyard/version.hpp"

namespace halyard::bench {
namespace {

std::vector<const MethodEntry*> chosen_methods(const HaloBenchOptions& options) {
  std::vector<const MethodEntry*> chosen;
  for (const MethodEntry& entry : all_methods()) {
    const bool is_named = std::find(options.only.begin(), options.only.end(), entry.name) != options.only.end();
    if (options.only.empty() ? entry.is_default : is_named) chosen.push_back(&entry);
  }
  return chosen;
}

RunFacts facts_of(const HaloBenchOptions& options, int num_ranks) {
  RunFacts run{read_machine(), std::string(commit()), options.mpi_name, num_ranks, process_grid(options, num_ranks),
               options.rounds};
  if (run.mpi_name.empty()) run.mpi_name = run.machine.pml;
  return run;
}

bool is_good(const CaseResult& result, bool all_must_run) {
  return std::all_of(result.methods.begin(), result.methods.end(),
                     [&](const MethodResult& m) { return m.not_run.empty() ? m.is_verified : !all_must_run; });
}

}  // namespace

int run_halo_bench(MPI_Comm comm, const HaloBenchOptions& options) {
  int rank = 0;
  int num_ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &num_ranks);
  check(options, num_ranks);
  const RunFacts run = facts_of(options, num_ranks);
  Report report(comm, run, options.json_file);
  bool all_good = true;
  for (const BenchCase& bench_case : cases_of(options)) {
    const Geometry geometry = make_geometry(bench_case, run.grid, rank);
    CaseBench bench(comm, geometry, chosen_methods(options));
    for (const Cache cache : options.caches) {
      const CaseResult result = bench.run(cache, options.rounds);
      report.add(result);
      all_good = all_good && is_good(result, !options.only.empty());
    }
  }
  return all_good ? 0 : 1;
}

}  // namespace halyard::bench
