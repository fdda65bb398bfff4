// halyard doctor: its options. The static half (tools/doctor) runs without MPI; --live (tools/live) is collective.
#include <memory>

#include "command.hpp"
#include "doctor/run.hpp"
#include "doctor_live.hpp"

namespace halyard::tools {
namespace {

void add_static_options(CLI::App& app, doctor::Options& options) {
  app.add_option("--root", options.root, "Look at a captured machine: a folder with sys/ and proc/, or a bundle");
  app.add_option("--check", options.check, "One check only, with what was seen");
  app.add_flag("--details", options.wants_details, "What was seen for every finding");
  app.add_flag("--json", options.wants_json, "Findings as JSON, to standard output");
  app.add_option("--capture", options.capture, "Write what was looked at into a new tar file, without personal data");
  app.add_option("--baseline", options.baseline,
                 "Compare with an earlier --json: what has changed; exit code 1 if worse");
  app.add_option("--topo", options.topo, "Look at a topology: hwloc XML, NCCL XML or 'nvidia-smi topo -m'");
  app.add_flag("--for-prolog", options.is_for_prolog, "One line, exit code 0 ok, 1 warn, 2 fail");
}

}  // namespace

void add_doctor(CLI::App& app, Action& chosen, LocalAction& alone) {
  CLI::App* command =
      app.add_subcommand("doctor", "What stands between this machine and a direct path, and what to do");
  const auto options = std::make_shared<doctor::Options>();
  add_static_options(*command, *options);
  const LiveCommand live = add_live_options(*command);
  for (const char* name : {"--root", "--check", "--details", "--capture", "--baseline", "--topo", "--for-prolog"})
    live.flag->excludes(command->get_option(name));
  command->callback([=, &chosen, &alone] {
    if (live.flag->count() > 0)
      chosen = [=](MPI_Comm comm) { return live.run(comm, options->wants_json ? "-" : ""); };
    else
      alone = [=] { return doctor::run(*options); };
  });
}

}  // namespace halyard::tools
