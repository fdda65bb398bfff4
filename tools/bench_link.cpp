// halyard bench link: the command line of the link bench. The bench itself is in bench/link.
#include <memory>

#include "command.hpp"
#include "link/options.hpp"
#include "link/run.hpp"

namespace halyard::tools {

void add_link_bench(CLI::App& group, Action& chosen) {
  CLI::App* link = group.add_subcommand("link", "One link between 2 ranks: latency, message rate, bandwidth");
  const auto options = std::make_shared<bench::LinkBenchOptions>();
  link->add_option("--bytes", options->bytes, "Sizes of messages (list; default 8 to 64 MiB)")->delimiter(',');
  link->add_option("--only", options->only, "Methods to run: verbs, ucx, shared, mpi-channel, mpi (list)")
      ->delimiter(',');
  link->add_option("--rounds", options->rounds, "Interleaved rounds (default 30)");
  link->add_option("--seconds", options->seconds, "Most time for one size; at least three rounds (default 20)");
  link->add_option("--json", options->json_file, "Also write one JSON line per size and method");
  link->add_option("--mpi-name", options->mpi_name, "What to call this MPI tuning in the results");
  link->callback(
      [&chosen, options] { chosen = [options](MPI_Comm comm) { return bench::run_link_bench(comm, *options); }; });
}

}  // namespace halyard::tools
