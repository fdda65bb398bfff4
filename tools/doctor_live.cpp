// halyard doctor --live: its options. What it does is in tools/live.
#include "doctor_live.hpp"

#include <memory>

#include "live/live.hpp"

namespace halyard::tools {

LiveCommand add_live_options(CLI::App& doctor) {
  const auto options = std::make_shared<live::LiveOptions>();
  CLI::Option* live = doctor.add_flag("--live")->description(
      "Measure between ranks: direct against staged, or against MPI (start with mpirun)");
  doctor.add_option("--seconds", options->seconds, "With --live: time for each size (default 0.5)")->needs(live);
  doctor.add_option("--faces", options->faces, "With --live: edges of the faces exchanged, in cells of 8 bytes (list)")
      ->delimiter(',')
      ->needs(live);
  doctor.add_option("--device", options->device, "With --live: auto, none (host memory) or cuda")
      ->check(CLI::IsMember({"auto", "none", "cuda"}))
      ->needs(live);
  return {live, [options](MPI_Comm comm, const std::string& json_file) {
            options->json_file = json_file;
            return live::run_live(comm, *options);
          }};
}

}  // namespace halyard::tools
