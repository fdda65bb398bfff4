// Backoff: what a rank does while nothing arrives: pause, yield when cores are short, watch the clock.
//
// Made by whoever starts to wait, on its stack; one thread. pause() is data path: without a system call while it spins
// (the clock is read through the vDSO, and only every few hundred pauses).
#pragma once

#include <chrono>
#include <cstdint>

namespace halyard::base {

/// How long to spin before yielding the core, and how long to wait at all.
struct WaitPolicy {
  std::uint32_t spins_before_yield = 20'000;  // about a millisecond; UINT32_MAX = never yield
  double deadline_s = 60.0;                   // 0 = none

  static constexpr std::uint32_t kNeverYield = UINT32_MAX;
  static constexpr std::uint32_t kYieldEarly = 4;
  /// Most messages come within so many, and sleepers are dear to wake (docs/adr/0017).
  static constexpr std::uint32_t kYieldsBeforeSleep = 32;
};

class Backoff {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Outcome { go_on, look_around, deadline_passed };

  explicit Backoff(const WaitPolicy& policy) : policy_(policy) {}

  /// Data path. One pause. `look_around` comes about ten times a second: time for slow checks (is the peer alive?).
  Outcome pause();
  /// Instead of a pause, after the caller has slept in its own way.
  Outcome slept();
  /// Data path. Something moved: spin again before yielding.
  void progressed() {
    num_idle_ = 0;
    has_moved_ = true;
  }

  /// True when the next pause would give the core away.
  bool yields() const {
    return num_idle_ >= policy_.spins_before_yield && policy_.spins_before_yield != WaitPolicy::kNeverYield;
  }

  /// True when the core has been given away so often that the caller had better sleep, if it can.
  bool may_sleep() const {
    return yields() && num_idle_ - policy_.spins_before_yield >= WaitPolicy::kYieldsBeforeSleep;
  }

  double seconds_waited() const;
  double seconds_since_progress() const;

 private:
  Outcome look_at_clock();

  WaitPolicy policy_;
  std::uint32_t num_idle_ = 0;
  std::uint32_t until_clock_ = 0;
  bool has_moved_ = false;
  Clock::time_point started_{};
  Clock::time_point last_progress_{};
  Clock::time_point last_look_{};
};

}  // namespace halyard::base
