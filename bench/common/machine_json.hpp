// How the lines of all benches name the machine and the MPI they ran on.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/machine.hpp"

namespace halyard::bench {

inline nlohmann::ordered_json machine_json(const Machine& machine) {
  return {{"cpu", machine.cpu}, {"cores", machine.cores}, {"kernel", machine.kernel}};
}

/// `name`: how this tuning of MPI is called.
inline nlohmann::ordered_json mpi_json(const Machine& machine, const std::string& name) {
  return {{"library", machine.mpi_library}, {"pml", machine.pml}, {"name", name}};
}

}  // namespace halyard::bench
