// Agreement over MPI: one reduction in the good case, one broadcast more in the bad one.
#include "common/agree.hpp"

#include <vector>

namespace halyard::app {
namespace {

std::string broadcast_from(MPI_Comm comm, int root, std::string text) {
  int length = static_cast<int>(text.size());
  MPI_Bcast(&length, 1, MPI_INT, root, comm);
  text.resize(static_cast<std::size_t>(length));
  MPI_Bcast(text.data(), length, MPI_CHAR, root, comm);
  return text;
}

}  // namespace

void agree(MPI_Comm comm, const std::string& problem) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int mine = problem.empty() ? size : rank;
  int lowest = size;
  MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, comm);
  if (lowest == size) return;
  const std::string text = broadcast_from(comm, lowest, problem);
  throw SetupError(lowest == 0 ? text : "rank " + std::to_string(lowest) + ": " + text);
}

std::string broadcast(MPI_Comm comm, std::string text) { return broadcast_from(comm, 0, std::move(text)); }

std::string gather_text(MPI_Comm comm, const std::string& text) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int length = static_cast<int>(text.size());
  std::vector<int> lengths(static_cast<std::size_t>(size));
  MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm);
  std::vector<int> starts(lengths.size(), 0);
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] = starts[i - 1] + lengths[i - 1];
  std::string all;
  if (rank == 0) all.resize(static_cast<std::size_t>(starts.back() + lengths.back()));
  MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0, comm);
  return all;
}

}  // namespace halyard::app
