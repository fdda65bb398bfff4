// Phases: where the time of a run goes, by what the rank was doing. Main thread only.
#pragma once

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstddef>

namespace halyard::md {

enum class Phase : std::size_t {
  pairs,      // forces of pairs
  neighbors,  // sorting atoms and listing neighbors
  motion,     // time integration, thermostat and sums
  forward,    // positions to ghosts
  reverse,    // forces back
  migrate,    // atoms to their owners, and lists of ghosts
  agree,      // whether some atom on some rank has moved far
};
inline constexpr std::size_t kNumPhases = 7;
inline constexpr std::array<const char*, kNumPhases> kPhaseNames{"pairs",   "neighbors", "motion", "forward",
                                                                 "reverse", "migrate",   "agree"};

class Phases {
 public:
  /// What passed since the last call belongs to `phase`.
  void end(Phase phase);
  /// `seconds` that somebody else has timed.
  void add(Phase phase, double seconds) { seconds_[static_cast<std::size_t>(phase)] += seconds; }
  /// What passed since the last call belongs to none.
  void skip() { since_ = Clock::now(); }
  void clear();

  /// Seconds of each phase, the mean over ranks, on every rank. Collective.
  std::array<double, kNumPhases> mean(MPI_Comm comm) const;

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point since_ = Clock::now();
  std::array<double, kNumPhases> seconds_{};
};

/// The share of phases that move data.
double exchange_share(const std::array<double, kNumPhases>& seconds);

}  // namespace halyard::md
