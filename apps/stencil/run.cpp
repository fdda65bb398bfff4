// The order of a run: settle the problem, try what will be written, set up, start the field, step,
// judge, report.
#include "run.hpp"

#include <cmath>
#include <cstdio>
#include <optional>
#include <type_traits>
#include <utility>

#include "common/agree.hpp"
#include "common/gpu/gpu.hpp"
#include "common/program.hpp"
#include "common/progress.hpp"
#include "common/staged_file.hpp"
#include "io/npy.hpp"
#include "io/outputs.hpp"
#include "model/eigenmode.hpp"
#include "model/grid.hpp"
#include "report/json.hpp"
#include "report/summary.hpp"
#include "simulation.hpp"

namespace halyard::stencil {
namespace {

/// What all ranks agreed to compute. Grid::mine is this rank's.
struct Problem {
  std::optional<NpyHeader> input;
  std::optional<Grid> grid;
  double coefficient = 0;
};

NpyHeader inspect_on_root(MPI_Comm comm, const std::string& path) {
  static_assert(std::is_trivially_copyable_v<NpyHeader>);
  NpyHeader header;
  app::agreed_on_root(comm, [&] { header = inspect_npy(path); });
  MPI_Bcast(&header, sizeof(header), MPI_BYTE, 0, comm);
  return header;
}

Index3 settle_cells(const Settings& settings, const std::optional<NpyHeader>& input) {
  if (!input) return settings.cells.value_or(kDefaultCells);
  if (!settings.cells || *settings.cells == input->shape) return input->shape;
  const auto text = [](const Index3& v) {
    return std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]);
  };
  throw std::invalid_argument("read " + settings.input + ": its shape is " + text(input->shape) + ", but --cells is " +
                              text(*settings.cells) + "; leave --cells out to take the file's shape");
}

Problem settle(MPI_Comm comm, const Settings& settings) {
  Problem problem;
  if (!settings.input.empty()) problem.input = inspect_on_root(comm, settings.input);
  app::agreed(comm, [&] {
    const Index3 cells = settle_cells(settings, problem.input);
    problem.grid =
        make_grid({cells, settings.ranks, settings.periodic, settings.stencil}, app::rank_in(comm), app::size_of(comm));
    problem.coefficient = choose_coefficient(*problem.grid, settings);
  });
  return problem;
}

void start_field(MPI_Comm comm, const Settings& settings, const Problem& problem, Simulation& simulation) {
  const auto write = [&](const Block& block) {
    if (problem.input)
      read_npy(settings.input, *problem.input, problem.grid->mine, block);
    else
      Eigenmode(*problem.grid).fill(block);
  };
  app::agreed(comm, [&] { simulation.start(write); });
}

void explain(MPI_Comm comm, Explain who, const Simulation& simulation) {
  if (who == Explain::none) return;
  const int rank = app::rank_in(comm);
  const std::string mine = simulation.explain() + "\n";
  const std::string text = app::gather_text(comm, who == Explain::all || rank == 0 ? mine : "");
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

StepSpreads step_all(MPI_Comm comm, const Settings& settings, Simulation& simulation) {
  Times times(settings.steps);
  app::Progress progress(app::rank_in(comm), settings.steps);
  try {
    simulation.rehearse(times);
    for (std::int64_t i = 0; i < settings.steps; ++i) {
      simulation.advance(times);
      progress.show(i + 1);
    }
    simulation.settle(times);
  } catch (const TransferFailed& failure) {
    app::leave(comm, "halyard-stencil", failure.what());
  }
  return times.slowest(comm);
}

std::optional<double> judge(MPI_Comm comm, const Settings& settings, const Problem& problem, Simulation& simulation) {
  if (!settings.verify) return std::nullopt;
  const Eigenmode mode(*problem.grid);
  const long double factor = mode.factor(update_weights(settings.stencil, problem.coefficient));
  return mode.error(comm, simulation.block(),
                    static_cast<double>(std::pow(factor, static_cast<long double>(settings.steps))));
}

std::string gpu_of(const Settings& settings) {
  return settings.device == Device::cuda ? app::gpu::name_of_current() : std::string();
}

/// Tries the file of --json before the first step, and removes it again.
void try_json(MPI_Comm comm, const std::string& path) {
  app::agreed_on_root(comm, [&] {
    if (!path.empty()) app::StagedFile::create(path);
  });
}

void write_json(MPI_Comm comm, const Result& result) {
  app::agreed_on_root(comm, [&] {
    if (result.settings.json.empty()) return;
    app::StagedFile file = app::StagedFile::create(result.settings.json);
    file.write(to_json(result));
    file.commit();
  });
}

int verdict(MPI_Comm comm, const Result& result) {
  if (!result.error || result.is_verified()) return app::kExitOk;
  if (app::rank_in(comm) == 0)
    std::fprintf(stderr,
                 "halyard-stencil: verify %lld steps: the field differs from the exact solution by "
                 "%g, allowed %g; "
                 "find the path at fault with --path mpi and --explain all\n",
                 static_cast<long long>(result.settings.steps), *result.error, kTolerance);
  return app::kExitFailed;
}

}  // namespace

int run(MPI_Comm comm, const Settings& settings) {
  const Problem problem = settle(comm, settings);
  std::optional<Outputs> outputs;
  if (!settings.output.empty()) outputs.emplace(comm, settings.output, problem.grid->decomposition);
  try_json(comm, settings.json);

  const auto simulation = make_simulation(comm, settings, *problem.grid, problem.coefficient);
  start_field(comm, settings, problem, *simulation);
  explain(comm, settings.explain, *simulation);

  Result result{settings, problem.grid->cells, problem.grid->ranks, problem.coefficient, {}, {}, {}, gpu_of(settings)};
  result.times = step_all(comm, settings, *simulation);
  result.error = judge(comm, settings, problem, *simulation);
  result.paths = gather_paths(comm, path_lines(simulation->plan()));

  if (outputs) outputs->write(simulation->block());
  write_json(comm, result);
  if (app::rank_in(comm) == 0) std::fputs(summary_of(result).c_str(), stdout);
  return verdict(comm, result);
}

}  // namespace halyard::stencil
