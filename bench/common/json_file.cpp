// See json_file.hpp.
#include "common/json_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "common/usage_error.hpp"

namespace halyard::bench {

bool open_json(MPI_Comm comm, const std::string& name, std::ofstream& file) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  int failure = 0;
  if (rank == 0 && !name.empty()) {
    file.open(name, std::ios::trunc);
    if (!file) failure = errno;
  }
  MPI_Bcast(&failure, 1, MPI_INT, 0, comm);
  if (failure != 0) throw UsageError(fmt::format("--json {}: cannot be written: {}", name, std::strerror(failure)));
  return rank == 0;
}

}  // namespace halyard::bench
