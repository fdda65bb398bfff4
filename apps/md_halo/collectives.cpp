// See collectives.hpp.
#include "collectives.hpp"

#include <string>

namespace halyard::md {

bool Collectives::any(bool is_mine) const {
  const int mine = is_mine ? 1 : 0;
  int any = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm_, &request);
  wait(request, "asked whether atoms have moved far");
  return any != 0;
}

std::vector<double> Collectives::gather(const double* mine, std::size_t count) const {
  int size = 1;
  MPI_Comm_size(comm_, &size);
  std::vector<double> all(count * static_cast<std::size_t>(size));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(mine, static_cast<int>(count), MPI_DOUBLE, all.data(), static_cast<int>(count), MPI_DOUBLE, comm_,
                 &request);
  wait(request, "gathered sums");
  return all;
}

void Collectives::wait(MPI_Request request, const char* what) const {
  constexpr int kTriesPerLook = 1000;  // at the clock
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    for (int i = 0; i < kTriesPerLook; ++i) {
      int is_complete = 0;
      MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE);
      if (is_complete != 0) return;
    }
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
    if (deadline_s_ > 0 && waited.count() > deadline_s_)
      throw TransferFailed(std::string(what) + ": not all ranks answered within " + std::to_string(deadline_s_) +
                           " s; a rank may be stuck or gone, look at the others' output, or raise --deadline");
  }
}

}  // namespace halyard::md
