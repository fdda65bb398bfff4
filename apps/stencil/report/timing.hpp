// Timing: how long each step took, and what of it was exchange.
//
// Durations takes its room up front; recording allocates nothing. A step is as slow as its slowest
// rank, so spreads are of the maximum over ranks of each step. Main thread only.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace halyard::stencil {

/// In microseconds. All 0 when nothing was timed.
struct Spread {
  double min = 0;
  double median = 0;
  double p99 = 0;
};

/// Of any sample; p99 is the smallest value that 99 % do not exceed.
Spread spread_of(std::vector<double> sample);

/// Microseconds since it was made or last asked.
class Stopwatch {
 public:
  double lap();

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

/// Durations of one kind, in microseconds; when full, new ones take the place of the oldest.
class Durations {
 public:
  static constexpr std::int64_t kMaxKept = 1 << 20;

  explicit Durations(std::int64_t expected);

  void record(double us);

  /// Collective, every rank having recorded as many: of the slowest rank in each place. The result
  /// is rank 0's.
  Spread slowest(MPI_Comm comm) const;

 private:
  std::vector<double> kept_;
  std::size_t capacity_;
  std::size_t num_recorded_ = 0;
};

/// What the report says of time.
struct StepSpreads {
  Spread step;      // a whole step
  Spread exchange;  // one exchange by itself, nothing computed meanwhile
  Spread exposed;   // of a step: what the exchange made it longer
  Spread compute;   // GPU only: a step by itself, nothing exchanged
};

/// What a simulation records on this rank. Every rank records as much of each.
struct Times {
  explicit Times(std::int64_t num_steps);

  /// Collective. The result is rank 0's.
  StepSpreads slowest(MPI_Comm comm) const;

  Durations step, exchange, exposed, compute;
};

inline constexpr std::size_t kWarmUps = 4;
inline constexpr std::size_t kRehearsals = 50;  // how often that is timed which is measured apart from the steps

}  // namespace halyard::stencil
