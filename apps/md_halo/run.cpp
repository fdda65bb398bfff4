// The order of a run: load, try what will be written, set up, step and record, write, report.
#include "run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "common/agree.hpp"
#include "common/gpu/gpu.hpp"
#include "common/program.hpp"
#include "common/progress.hpp"
#include "common/staged_file.hpp"
#include "halyard/status.hpp"
#include "input/start.hpp"
#include "output/recorder.hpp"
#include "report/result.hpp"
#include "simulation.hpp"

namespace halyard::md {
namespace {

constexpr const char* kName = "halyard-md";

/// Tries files before the first step, and removes them again.
void try_outputs(MPI_Comm comm, const OutputSettings& output) {
  app::agreed_on_root(comm, [&] {
    for (const std::string& path : {output.json, output.restart})
      if (!path.empty()) app::StagedFile::create(path);
  });
}

void explain(MPI_Comm comm, Explain who, const Simulation& simulation) {
  if (who == Explain::none) return;
  const std::string mine = simulation.explain() + "\n";
  const std::string text = app::gather_text(comm, who == Explain::all || app::rank_in(comm) == 0 ? mine : "");
  app::say(comm, stdout, text);
}

/// All steps. Returns what the migration says of atoms that blew up, the same on every rank; empty when all went well.
std::string step_all(MPI_Comm comm, Simulation& simulation, Recorder& recorder) {
  const std::int64_t last = simulation.step() + recorder.settings().steps;
  app::Progress progress(app::rank_in(comm), recorder.settings().steps);
  try {
    while (simulation.step() < last) {
      const bool is_recorded = recorder.wants(simulation.step() + 1);
      simulation.advance(is_recorded ? Sums::take : Sums::skip);
      if (is_recorded) progress.clear();
      recorder.record(simulation);
      progress.show(recorder.settings().steps - (last - simulation.step()));
    }
    simulation.settle();
  } catch (const TransferFailed& failure) {
    app::leave(comm, kName, failure.what());
  } catch (const halyard::Error& error) {
    return error.what();
  }
  return {};
}

std::int64_t sum_of(MPI_Comm comm, std::int64_t mine) {
  std::int64_t sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
  return sum;
}

double slowest(MPI_Comm comm, double mine) {
  double slowest = 0;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
  return slowest;
}

void write_json(MPI_Comm comm, const Result& result) {
  app::agreed_on_root(comm, [&] {
    if (result.settings.output.json.empty()) return;
    app::StagedFile file = app::StagedFile::create(result.settings.output.json);
    file.write(to_json(result));
    file.commit();
  });
}

Result result_of(MPI_Comm comm, const Settings& settings, const System& system, const Simulation& simulation) {
  Result result;
  result.settings = settings;
  result.num_atoms = system.num_atoms;
  result.num_types = system.num_types();
  result.num_ranks = app::size_of(comm);
  result.grid = simulation.domain().ranks;
  result.phases = simulation.phases().mean(comm);
  if (settings.device == Device::cuda) result.gpu = app::gpu::name_of_current();
  result.num_rebuilds = simulation.num_rebuilds();
  result.num_late_rebuilds = sum_of(comm, simulation.num_late_rebuilds());
  const HostLead lead = simulation.host_lead();
  result.host_lead = {sum_of(comm, lead.num_looked), sum_of(comm, lead.num_idle)};
  result.num_listed_pairs = sum_of(comm, simulation.num_listed_pairs());
  result.num_ghosts = sum_of(comm, simulation.atoms().particles().num_ghosts);
  return result;
}

}  // namespace

int run(MPI_Comm comm, const Settings& settings) {
  const System system = load_start(comm, settings.start);
  try_outputs(comm, settings.output);
  Recorder recorder(comm, settings, system);
  const std::unique_ptr<Simulation> made = make_simulation(comm, settings, system);
  Simulation& simulation = *made;
  try {
    simulation.start();
  } catch (const TransferFailed& failure) {
    app::leave(comm, kName, failure.what());
  }
  explain(comm, settings.output.explain, simulation);
  recorder.begin(simulation);

  const auto begin = std::chrono::steady_clock::now();
  const std::string problem = step_all(comm, simulation, recorder);
  const std::chrono::duration<double> loop = std::chrono::steady_clock::now() - begin;
  recorder.finish(simulation, problem.empty());
  if (!problem.empty()) {
    app::say(comm, stderr, std::string(kName) + ": " + problem + "\n");
    return app::kExitFailed;
  }
  Result result = result_of(comm, settings, system, simulation);
  result.thermo = recorder.thermo();
  result.loop_s = slowest(comm, loop.count());
  write_json(comm, result);
  app::say(comm, stdout, summary_of(result));
  return app::kExitOk;
}

}  // namespace halyard::md
