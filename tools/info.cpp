// halyard info: version, commit, MPI library and what Halyard can reach from here.
#include <fmt/format.h>

#include "command.hpp"
#include "halyard/halyard.hpp"

namespace halyard::tools {
namespace {

int print_info(MPI_Comm comm) {
  const Context context(comm);
  if (context.rank() == 0)
    fmt::print("halyard {} ({}), {} ranks\n{}\n", version(), commit(), context.size(), context.explain());
  return 0;
}

}  // namespace

void add_info(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("info", "Version, and the paths that are open here");
  command->callback([&chosen] { chosen = &print_info; });
}

}  // namespace halyard::tools
