// halyard bench registration: the command line of the registration bench. The bench itself is in bench/registration.
#include <memory>

#include "command.hpp"
#include "registration/options.hpp"
#include "registration/run.hpp"

namespace halyard::tools {

void add_registration_bench(CLI::App& group, Action& chosen) {
  CLI::App* command =
      group.add_subcommand("registration", "What it costs to register memory, and what the cache saves");
  const auto options = std::make_shared<bench::RegistrationBenchOptions>();
  command->add_option("--sizes", options->sizes, "Bytes (list, suffixes as 64kb, 4mb; default 4 KiB to 64 MiB)")
      ->delimiter(',')
      ->transform(CLI::AsSizeValue(false));
  command->add_option("--registrar", options->registrars, "Registrars (list, default all that are here): mlock, ucx")
      ->delimiter(',');
  command->add_option("--rounds", options->rounds, "Samples of each (default 30)");
  command->add_option("--json", options->json_file, "Also write one JSON line per size and method");
  command->callback([&chosen, options] {
    chosen = [options](MPI_Comm comm) { return bench::run_registration_bench(comm, *options); };
  });
}

}  // namespace halyard::tools
