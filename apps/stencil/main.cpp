// halyard-stencil: 3-D diffusion in Kokkos with halo exchange by Halyard. Opens MPI and Kokkos,
// agrees on the command line and turns what happens into an exit code (docs/stencil.md). Rank 0
// speaks for all.
#include <mpi.h>

#include <cstdio>
#include <string>
#include <vector>

#include "agree.hpp"
#include "gpu/gpu.hpp"
#include "halyard/status.hpp"
#include "kokkos_scope.hpp"
#include "options.hpp"
#include "run.hpp"

namespace halyard::stencil {
namespace {

/// The command line, in two: what Kokkos takes, and the rest.
struct Arguments {
  std::vector<std::string> kokkos;
  std::vector<std::string> ours;
};

Arguments split_arguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    (argument.starts_with("--kokkos-") ? arguments.kokkos : arguments.ours).push_back(argument);
  }
  return arguments;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + '\n';
  return text;
}

Parsed parse_agreed(MPI_Comm comm, const Arguments& arguments) {
  const std::string mine = joined(arguments.ours) + joined(arguments.kokkos);
  const std::string first = broadcast(comm, mine);
  Parsed parsed;
  agreed(comm, [&] {
    if (mine != first) throw std::invalid_argument("was started with other options than rank 0; start all ranks alike");
    parsed = parse(arguments.ours);
  });
  return parsed;
}

/// Before Kokkos is opened, as it takes a GPU then and keeps it.
std::vector<std::string> kokkos_arguments(MPI_Comm comm, const Settings& settings, std::vector<std::string> words) {
  if (settings.device == Device::cuda)
    words.insert(words.begin(), "--kokkos-device-id=" + std::to_string(gpu::choose(comm)));
  return words;
}

void say(MPI_Comm comm, std::FILE* to, const std::string& text) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) std::fputs(text.c_str(), to);
  std::fflush(to);
}

int parse_and_run(MPI_Comm comm, int argc, char** argv) {
  const Arguments arguments = split_arguments(argc, argv);
  const Parsed parsed = parse_agreed(comm, arguments);
  if (!parsed.text.empty()) {
    say(comm, stdout, parsed.text);
    return kExitOk;
  }
  const KokkosScope kokkos(argv[0], kokkos_arguments(comm, parsed.settings, arguments.kokkos));
  if (!kokkos.problem().empty()) throw SetupError(kokkos.problem());
  return run(comm, parsed.settings);
}

/// SetupError and halyard::Error reach every rank; anything else is one rank's, which can only take
/// the others along.
int guarded(MPI_Comm comm, int argc, char** argv) {
  try {
    return parse_and_run(comm, argc, argv);
  } catch (const SetupError& error) {
    say(comm, stderr, "halyard-stencil: " + std::string(error.what()) + "\n");
    return kExitBadInput;
  } catch (const halyard::Error& error) {
    say(comm, stderr, "halyard-stencil: " + std::string(error.what()) + "\n");
    return kExitBadInput;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard-stencil: one rank alone failed: %s\n", error.what());
    MPI_Abort(comm, kExitFailed);
    return kExitFailed;
  }
}

}  // namespace
}  // namespace halyard::stencil

int main(int argc, char** argv) {
  int granted = 0;  // Halyard itself reads the level and respects it
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted);
  const int code = halyard::stencil::guarded(MPI_COMM_WORLD, argc, argv);
  MPI_Finalize();
  return code;
}
