// The order of a run: settle the problem, try what will be written, set up, start the field, step,
// judge, report.
#include "run.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <thread>
#include <type_traits>
#include <utility>

#include "agree.hpp"
#include "gpu/gpu.hpp"
#include "io/npy.hpp"
#include "io/outputs.hpp"
#include "io/staged_file.hpp"
#include "model/eigenmode.hpp"
#include "model/grid.hpp"
#include "report/json.hpp"
#include "report/progress.hpp"
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

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 1;
  MPI_Comm_size(comm, &size);
  return size;
}

NpyHeader inspect_on_root(MPI_Comm comm, const std::string& path) {
  static_assert(std::is_trivially_copyable_v<NpyHeader>);
  NpyHeader header;
  agreed_on_root(comm, [&] { header = inspect_npy(path); });
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
  agreed(comm, [&] {
    const Index3 cells = settle_cells(settings, problem.input);
    problem.grid =
        make_grid({cells, settings.ranks, settings.periodic, settings.stencil}, rank_in(comm), size_of(comm));
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
  agreed(comm, [&] { simulation.start(write); });
}

void explain(MPI_Comm comm, Explain who, const Simulation& simulation) {
  if (who == Explain::none) return;
  const int rank = rank_in(comm);
  const std::string mine = simulation.explain() + "\n";
  const std::string text = gather_text(comm, who == Explain::all || rank == 0 ? mine : "");
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

/// Each rank says what it saw; all get a moment to say it, for MPI_Abort ends those that have not.
[[noreturn]] void leave(MPI_Comm comm, const std::string& text) {
  std::fprintf(stderr, "halyard-stencil: rank %d: %s\n", rank_in(comm), text.c_str());
  std::fflush(stderr);
  MPI_Request request = MPI_REQUEST_NULL;
  int is_complete = 0;
  MPI_Ibarrier(comm, &request);
  for (int i = 0; i < 200 && is_complete == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
  }
  MPI_Abort(comm, kExitFailed);
  std::_Exit(kExitFailed);
}

StepSpreads step_all(MPI_Comm comm, const Settings& settings, Simulation& simulation) {
  Times times(settings.steps);
  Progress progress(rank_in(comm), settings.steps);
  try {
    simulation.rehearse(times);
    for (std::int64_t i = 0; i < settings.steps; ++i) {
      simulation.advance(times);
      progress.show(i + 1);
    }
    simulation.settle(times);
  } catch (const TransferFailed& failure) {
    leave(comm, failure.what());
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
  return settings.device == Device::cuda ? gpu::name_of_current() : std::string();
}

/// Tries the file of --json before the first step, and removes it again.
void try_json(MPI_Comm comm, const std::string& path) {
  agreed_on_root(comm, [&] {
    if (!path.empty()) StagedFile::create(path);
  });
}

void write_json(MPI_Comm comm, const Result& result) {
  agreed_on_root(comm, [&] {
    if (result.settings.json.empty()) return;
    StagedFile file = StagedFile::create(result.settings.json);
    file.write(to_json(result));
    file.commit();
  });
}

int verdict(MPI_Comm comm, const Result& result) {
  if (!result.error || result.is_verified()) return kExitOk;
  if (rank_in(comm) == 0)
    std::fprintf(stderr,
                 "halyard-stencil: verify %lld steps: the field differs from the exact solution by "
                 "%g, allowed %g; "
                 "find the path at fault with --path mpi and --explain all\n",
                 static_cast<long long>(result.settings.steps), *result.error, kTolerance);
  return kExitFailed;
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
  if (rank_in(comm) == 0) std::fputs(summary_of(result).c_str(), stdout);
  return verdict(comm, result);
}

}  // namespace halyard::stencil
