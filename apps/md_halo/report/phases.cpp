// See phases.hpp.
#include "report/phases.hpp"

#include <numeric>

namespace halyard::md {

void Phases::end(Phase phase) {
  const Clock::time_point now = Clock::now();
  seconds_[static_cast<std::size_t>(phase)] += std::chrono::duration<double>(now - since_).count();
  since_ = now;
}

void Phases::clear() {
  seconds_ = {};
  skip();
}

std::array<double, kNumPhases> Phases::mean(MPI_Comm comm) const {
  int size = 1;
  MPI_Comm_size(comm, &size);
  std::array<double, kNumPhases> mean{};
  MPI_Allreduce(seconds_.data(), mean.data(), kNumPhases, MPI_DOUBLE, MPI_SUM, comm);
  for (double& s : mean) s /= size;
  return mean;
}

double exchange_share(const std::array<double, kNumPhases>& seconds) {
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  double moving = 0;
  for (const Phase phase : {Phase::forward, Phase::reverse, Phase::migrate, Phase::agree})
    moving += seconds[static_cast<std::size_t>(phase)];
  return all > 0 ? moving / all : 0;
}

}  // namespace halyard::md
