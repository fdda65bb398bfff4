// halyard: the command. Parses the command line on every rank, runs the sub-command, reports errors
// once. What needs no MPI runs before it is started, since it must work where MPI does not.
//
// All ranks get the same arguments, so they parse to the same result and leave with the same code:
// 0 done, 1 the work failed, 2 the command line makes no sense. Rank 0 speaks.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "command.hpp"
#include "halyard/status.hpp"

namespace {

using halyard::tools::Action;
using halyard::tools::kUsageExit;
using halyard::tools::LocalAction;

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void say_error(std::string_view text) {
  if (world_rank() == 0) fmt::print(stderr, "halyard: {}\n", text);
}

/// Help and version leave with 0, everything else that CLI11 throws is a wrong command line.
int report_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    if (world_rank() == 0) app.exit(error);
    return 0;
  }
  say_error(fmt::format("{}; 'halyard --help' lists what there is", error.what()));
  return kUsageExit;
}

struct Chosen {
  Action action;
  LocalAction alone;
  std::exception_ptr refused;  // what the parser threw
};

void parse(CLI::App& app, int argc, char** argv, Chosen& chosen) {
  app.require_subcommand(1);
  halyard::tools::add_doctor(app, chosen.action, chosen.alone);
  halyard::tools::add_info(app, chosen.action);
  halyard::tools::add_bench(app, chosen.action);
  try {
    app.parse(argc, argv);
  } catch (...) {
    chosen.refused = std::current_exception();
  }
}

int run(const CLI::App& app, const Chosen& chosen) {
  try {
    if (chosen.refused) std::rethrow_exception(chosen.refused);
    return chosen.action(MPI_COMM_WORLD);
  } catch (const CLI::ParseError& error) {
    return report_parse(app, error);
  } catch (const std::invalid_argument& error) {
    say_error(error.what());
    return kUsageExit;
  } catch (const halyard::Error& error) {
    if (error.code() != halyard::StatusCode::invalid_argument) throw;
    say_error(error.what());  // a bad option or HALYARD_* variable: the same on every rank
    return kUsageExit;
  }
}

int run_alone(const LocalAction& alone) {
  try {
    return alone();
  } catch (const halyard::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.code() == halyard::StatusCode::invalid_argument ? kUsageExit : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "halyard: {}\n", error.what());
    return 1;
  }
}

}  // namespace

// An error that only this rank met leaves the others waiting: they are taken down with it.
int main(int argc, char** argv) {
  CLI::App app("Halyard's tools; run under mpirun or srun for more than one rank", "halyard");
  Chosen chosen;
  parse(app, argc, argv, chosen);
  if (!chosen.refused && chosen.alone) return run_alone(chosen.alone);
  MPI_Init(&argc, &argv);
  int code = 1;
  try {
    code = run(app, chosen);
  } catch (const std::exception& error) {
    fmt::print(stderr, "halyard: rank {}: {}\n", world_rank(), error.what());
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  MPI_Finalize();
  return code;
}
