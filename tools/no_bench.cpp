// halyard bench in a build without bench/: says so.
#include "command.hpp"

namespace halyard::tools {

void add_bench(CLI::App&, Action&) {}

}  // namespace halyard::tools
