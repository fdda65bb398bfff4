// halyard bench halo: the command line of the halo bench. The bench itself is in bench/halo.
#include <memory>

#include "command.hpp"
#include "halo/options.hpp"
#include "halo/run.hpp"

namespace halyard::tools {
namespace {

using bench::Cache;
using bench::HaloBenchOptions;

void set_caches(HaloBenchOptions& options, const std::string& word) {
  if (word == "warm") options.caches = {Cache::warm};
  if (word == "cold") options.caches = {Cache::cold};
  if (word == "both") options.caches = {Cache::warm, Cache::cold};
}

void add_case_options(CLI::App& command, HaloBenchOptions& options) {
  command.add_option("--cells", options.cells, "Cells a rank on each axis (list)")->delimiter(',');
  command.add_option("--width", options.widths, "Halo width (list)")->delimiter(',');
  command.add_option("--fields", options.fields, "Number of fields (list)")->delimiter(',');
  command.add_option("--ranks", options.ranks, "Process grid, e.g. 1,1,2 (default: balanced)")->delimiter(',');
  command
      .add_option_function<std::string>(
          "--cache", [&options](const std::string& word) { set_caches(options, word); },
          "State of the caches: warm, cold or both (default)")
      ->check(CLI::IsMember({"warm", "cold", "both"}));
}

void add_run_options(CLI::App& command, HaloBenchOptions& options) {
  command.add_option("--only", options.only, "Methods to run (list), see bench/README.md")->delimiter(',');
  command.add_option("--rounds", options.rounds, "Interleaved rounds (default 30)");
  command.add_option("--json", options.json_file, "Also write one JSON line per case and method");
  command.add_option("--mpi-name", options.mpi_name, "What to call this MPI tuning in the results");
}

}  // namespace

void add_bench(CLI::App& app, Action& chosen) {
  CLI::App* group = app.add_subcommand("bench", "Measures Halyard against its peers");
  group->require_subcommand(1);
  CLI::App* halo = group->add_subcommand("halo", "One halo exchange of a grid in host memory");
  const auto options = std::make_shared<HaloBenchOptions>();
  add_case_options(*halo, *options);
  add_run_options(*halo, *options);
  halo->callback(
      [&chosen, options] { chosen = [options](MPI_Comm comm) { return bench::run_halo_bench(comm, *options); }; });
}

}  // namespace halyard::tools
