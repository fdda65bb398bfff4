// Microseconds in a ring, reduced with one MPI_Reduce.
#include "report/timing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace halyard::stencil {
Spread spread_of(std::vector<double> sample) {
  if (sample.empty()) return {};
  std::sort(sample.begin(), sample.end());
  const std::size_t n = sample.size();
  const double median = (sample[(n - 1) / 2] + sample[n / 2]) / 2;
  const auto rank99 = static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(n)));
  return {sample.front(), median, sample[rank99 - 1]};
}

double Stopwatch::lap() {
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double, std::micro> passed = now - since_;
  since_ = now;
  return passed.count();
}

Durations::Durations(std::int64_t expected)
    : capacity_(static_cast<std::size_t>(std::clamp<std::int64_t>(expected, 1, kMaxKept))) {
  kept_.reserve(capacity_);
}

void Durations::record(double us) {
  const std::size_t at = num_recorded_++ % capacity_;
  if (at < kept_.size())
    kept_[at] = us;
  else
    kept_.push_back(us);
}

Spread Durations::slowest(MPI_Comm comm) const {
  std::vector<double> slowest(kept_.size());
  MPI_Reduce(kept_.data(), slowest.data(), static_cast<int>(kept_.size()), MPI_DOUBLE, MPI_MAX, 0, comm);
  return spread_of(std::move(slowest));
}

Times::Times(std::int64_t num_steps)
    : step(num_steps),
      exchange(std::max<std::int64_t>(num_steps, kRehearsals)),
      exposed(num_steps),
      compute(kRehearsals) {}

StepSpreads Times::slowest(MPI_Comm comm) const {
  StepSpreads spreads;
  spreads.step = step.slowest(comm);
  spreads.exchange = exchange.slowest(comm);
  spreads.exposed = exposed.slowest(comm);
  spreads.compute = compute.slowest(comm);
  return spreads;
}

}  // namespace halyard::stencil
