// From options to results of the halo bench; see run.hpp.
#include "halo/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "halo/measure.hpp"
#include "halo/report/report.hpp"
#include "halo/target.hpp"
#include "halyard/version.hpp"

namespace halyard::bench {
namespace {

std::unique_ptr<Target> make_target(MPI_Comm comm, const HaloBenchOptions& options) {
  return options.device == Device::cuda ? make_cuda_target(comm, options) : make_host_target();
}

void check_methods(MethodEntries entries, std::string_view option, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (find_method(entries, name)) continue;
    std::vector<std::string_view> known;
    for (const MethodEntry& entry : entries)
      if (known.empty() || known.back() != entry.name) known.push_back(entry.name);
    throw UsageError(fmt::format("{} {}: no such method; known are {}", option, name, fmt::join(known, ", ")));
  }
}

RunFacts facts_of(const HaloBenchOptions& options, const Target& target, int num_ranks) {
  RunFacts run{read_machine(), std::string(commit()), options.mpi_name,     num_ranks,
               options.rounds, options.batch_ms,      target.ratio_bases(), target.gpu()};
  if (run.mpi_name.empty()) run.mpi_name = run.machine.pml;
  return run;
}

bool is_good(const CaseResult& result, bool all_must_run) {
  return std::all_of(result.methods.begin(), result.methods.end(),
                     [&](const MethodResult& m) { return m.not_run.empty() ? m.is_verified : !all_must_run; });
}

/// One case in every state of the caches; false when something was wrong.
bool run_case(const MethodInputs& inputs, const HaloBenchOptions& options, MethodEntries entries, Report& report) {
  CaseBench bench(inputs, choose_methods(entries, options.only, options.skip), options.batch_ms);
  bool all_good = true;
  for (const Cache cache : options.caches) {
    const CaseResult result = bench.run(cache, options.rounds);
    report.add(result);
    all_good = all_good && is_good(result, !options.only.empty());
  }
  return all_good;
}

}  // namespace

int run_halo_bench(MPI_Comm comm, const HaloBenchOptions& options) {
  int rank = 0;
  int num_ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &num_ranks);
  check(options, num_ranks);
  const std::unique_ptr<Target> target = make_target(comm, options);
  check_methods(target->methods(), "--only", options.only);
  check_methods(target->methods(), "--skip", options.skip);
  Report report(comm, facts_of(options, *target, num_ranks), options.json_file);
  bool all_good = true;
  for (const BenchCase& bench_case : cases_of(options)) {
    const Geometry geometry = make_geometry(bench_case, process_grid(options, bench_case, num_ranks), rank);
    const std::unique_ptr<FieldSet> fields = target->make_fields(geometry);
    all_good = run_case({comm, geometry, *fields}, options, target->methods(), report) && all_good;
  }
  return all_good ? 0 : 1;
}

}  // namespace halyard::bench
