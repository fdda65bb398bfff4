// halyard bench halo, halyard bench particles: the command lines of the benches, which are in bench/.
#include <memory>

#include "command.hpp"
#include "halo/options.hpp"
#include "halo/run.hpp"
#include "particles/run.hpp"

namespace halyard::tools {
namespace {

using bench::Cache;
using bench::HaloBenchOptions;

void set_caches(HaloBenchOptions& options, const std::string& word) {
  if (word == "warm") options.caches = {Cache::warm};
  if (word == "cold") options.caches = {Cache::cold};
  if (word == "both") options.caches = {Cache::warm, Cache::cold};
}

void set_axes(HaloBenchOptions& options, const std::vector<std::string>& words) {
  for (const std::string& word : words) options.axes.push_back(word.front() - 'x');
}

void set_modes(HaloBenchOptions& options, const std::vector<std::string>& words) {
  options.modes.clear();
  for (const bench::Mode mode : {bench::Mode::stream, bench::Mode::sync, bench::Mode::graph})
    for (const std::string& word : words)
      if (word == name_of(mode)) options.modes.push_back(mode);
}

// Caches of the host mean nothing to a GPU: there, exchanges run warm.
void set_device(HaloBenchOptions& options, const std::string& word) {
  options.device = word == "cuda" ? bench::Device::cuda : bench::Device::host;
  if (options.device == bench::Device::cuda) options.caches = {Cache::warm};
}

using Word = const std::string&;
using Words = const std::vector<std::string>&;

void add_device_options(CLI::App& command, HaloBenchOptions& options) {
  command
      .add_option_function<std::string>(
          "--device", [&options](Word word) { set_device(options, word); },
          "Where the fields lie: host (default) or cuda, one rank a GPU")
      ->check(CLI::IsMember({"host", "cuda"}));
  command
      .add_option_function<std::vector<std::string>>(
          "--mode", [&options](Words words) { set_modes(options, words); },
          "cuda: stream, sync, graph (list, default all)")
      ->delimiter(',')
      ->check(CLI::IsMember({"stream", "sync", "graph"}));
  command.add_option("--mpi-cuda", options.mpi_cuda, "cuda: whether MPI takes pointers to GPU memory: auto, yes, no")
      ->check(CLI::IsMember({"auto", "yes", "no"}));
}

void add_reach_options(CLI::App& command, HaloBenchOptions& options) {
  command
      .add_option_function<std::vector<std::string>>(
          "--axis", [&options](Words words) { set_axes(options, words); },
          "Both faces of one axis only, periodic: x, y, z (list)")
      ->delimiter(',')
      ->check(CLI::IsMember({"x", "y", "z"}));
  command
      .add_option_function<std::string>(
          "--reach", [&options](Word word) { options.is_full_reach = word == "full"; },
          "cuda: faces (of --axis, default) or full (26 neighbors)")
      ->check(CLI::IsMember({"faces", "full"}));
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
  command.add_option("--skip", options.skip, "Methods to leave out (list)")->delimiter(',');
  command.add_option("--rounds", options.rounds, "Interleaved rounds (default 30)");
  command.add_option("--batch-ms", options.batch_ms,
                     "Warm: how long the exchanges of one sample last (default 1); more where ranks share cores");
  command.add_option("--json", options.json_file, "Also write one JSON line per case and method");
  command.add_option("--mpi-name", options.mpi_name, "What to call this MPI tuning in the results");
}

void add_particles(CLI::App& group, Action& chosen) {
  CLI::App* particles = group.add_subcommand("particles", "Ghosts refreshed and listed, particles migrated");
  const auto options = std::make_shared<bench::ParticlesBenchOptions>();
  particles->add_option("--owned", options->owned, "Particles a rank (list)")
      ->delimiter(',')
      ->check(CLI::Range(64, 100'000'000));
  particles->add_option("--reach", options->reach, "Cut-off plus skin, at density 0.8442 (default 2.8)")
      ->check(CLI::PositiveNumber);
  particles->add_option("--leaving", options->leaving, "Fractions that migrate (list)")
      ->delimiter(',')
      ->check(CLI::Range(0.0, 1.0));
  particles->add_option("--rounds", options->rounds, "Interleaved rounds (default 30)")->check(CLI::Range(1, 100'000));
  particles
      ->add_option_function<std::string>(
          "--device", [options](Word word) { options->is_on_gpu = word == "cuda"; },
          "Where the particles lie: host (default) or cuda, one rank a GPU")
      ->check(CLI::IsMember({"host", "cuda"}));
  particles
      ->add_option("--mpi-cuda", options->mpi_cuda, "cuda: whether MPI takes pointers to GPU memory: auto, yes, no")
      ->check(CLI::IsMember({"auto", "yes", "no"}));
  particles->add_option("--json", options->json_file, "Also write one JSON line per task and way");
  particles->callback(
      [&chosen, options] { chosen = [options](MPI_Comm comm) { return bench::run_particles_bench(comm, *options); }; });
}

}  // namespace

void add_bench(CLI::App& app, Action& chosen) {
  CLI::App* group = app.add_subcommand("bench", "Measures Halyard against its peers");
  group->require_subcommand(1);
  add_registration_bench(*group, chosen);
  CLI::App* halo = group->add_subcommand("halo", "One halo exchange of a grid, in host memory or on GPUs");
  const auto options = std::make_shared<HaloBenchOptions>();
  add_case_options(*halo, *options);
  add_device_options(*halo, *options);
  add_reach_options(*halo, *options);
  add_run_options(*halo, *options);
  halo->callback(
      [&chosen, options] { chosen = [options](MPI_Comm comm) { return bench::run_halo_bench(comm, *options); }; });
  add_link_bench(*group, chosen);
  add_particles(*group, chosen);
}

}  // namespace halyard::tools
