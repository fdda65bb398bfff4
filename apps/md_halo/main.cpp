// halyard-md: Lennard-Jones molecular dynamics in Kokkos with particle exchange by Halyard. Opens MPI and Kokkos,
// agrees on the command line and turns what happens into an exit code (docs/md.md). Rank 0 speaks for all.
#include <mpi.h>

#include <string>
#include <vector>

#include "common/agree.hpp"
#include "common/gpu/gpu.hpp"
#include "common/kokkos_scope.hpp"
#include "common/program.hpp"
#include "halyard/version.hpp"
#include "options.hpp"
#include "run.hpp"

namespace halyard::md {
namespace {

/// Before Kokkos is opened, as it takes a GPU then and keeps it.
std::vector<std::string> kokkos_arguments(MPI_Comm comm, const Settings& settings, std::vector<std::string> words) {
  if (settings.device == Device::cuda)
    words.insert(words.begin(), "--kokkos-device-id=" + std::to_string(app::gpu::choose(comm)));
  return words;
}

int parse_and_run(MPI_Comm comm, int argc, char** argv) {
  const std::string version =
      "halyard-md " + std::string(halyard::version()) + " (" + std::string(halyard::commit()) + ")\n";
  const app::Arguments arguments = app::split_arguments(argc, argv);
  app::expect_equal(comm, arguments);
  Parsed parsed;
  app::agreed(comm, [&] { parsed = parse(arguments.ours, version); });
  if (!parsed.text.empty()) {
    app::say(comm, stdout, parsed.text);
    return app::kExitOk;
  }
  const app::HostSpaces host_only{app::gpu::is_missing(), app::gpu::open_host_spaces, app::gpu::close_host_spaces};
  const app::KokkosScope kokkos(argv[0], kokkos_arguments(comm, parsed.settings, arguments.kokkos), host_only);
  if (!kokkos.problem().empty()) throw app::SetupError(kokkos.problem());
  return run(comm, parsed.settings);
}

}  // namespace
}  // namespace halyard::md

int main(int argc, char** argv) {
  return halyard::app::run_program("halyard-md", argc, argv,
                                   [&](MPI_Comm comm) { return halyard::md::parse_and_run(comm, argc, argv); });
}
