// The static half of `halyard doctor`: without MPI, on any machine, or on a captured one.
#pragma once

#include <string>

namespace halyard::doctor {

struct Options {
  std::string root;      // a folder or a bundle; empty: this machine
  std::string check;     // one check only, with its details
  std::string capture;   // write a bundle
  std::string baseline;  // compare with an earlier --json
  std::string topo;      // another description of a machine's topology
  bool wants_json = false;
  bool wants_details = false;
  bool is_for_prolog = false;
};

/// Prints to standard output and returns the exit code. Throws Error(invalid_argument) for what cannot be read.
int run(const Options& options);

}  // namespace halyard::doctor
