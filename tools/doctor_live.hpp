// The options of `halyard doctor --live`, for the file that adds the doctor.
#pragma once

#include <functional>
#include <string>

#include "command.hpp"

namespace halyard::tools {

struct LiveCommand {
  CLI::Option* flag = nullptr;  // --live: whether it was asked for
  /// Collective; returns the exit code. `json_file`: "-" for standard output, empty for text only.
  std::function<int(MPI_Comm, const std::string& json_file)> run;
};

LiveCommand add_live_options(CLI::App& doctor);

}  // namespace halyard::tools
