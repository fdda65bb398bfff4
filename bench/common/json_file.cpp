// See json_file.hpp.
#include "common/json_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "common/usage_error.hpp"

namespace halyard::bench {

JsonFile::JsonFile(MPI_Comm comm, const std::string& name) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  is_writer_ = rank == 0;
  int failure = 0;
  if (is_writer_ && !name.empty()) {
    file_.open(name, std::ios::app);
    if (!file_) failure = errno;
  }
  MPI_Bcast(&failure, 1, MPI_INT, 0, comm);
  if (failure != 0) throw UsageError(fmt::format("--json {}: cannot be written: {}", name, std::strerror(failure)));
}

void JsonFile::write(std::string_view lines) {
  if (file_.is_open()) file_ << lines << std::flush;
}

}  // namespace halyard::bench
