// See backoff.hpp.
#include "base/backoff.hpp"

#include <sched.h>

#include "base/relax.hpp"

namespace halyard::base {
namespace {

constexpr std::uint32_t kSpinsPerClock = 512;
constexpr std::uint32_t kYieldsPerClock = 16;
constexpr std::chrono::milliseconds kLookEvery{100};

}  // namespace

Backoff::Outcome Backoff::pause() {  // data path
  const bool gives_way = yields();
  ++num_idle_;
  if (gives_way)
    sched_yield();
  else
    relax();
  if (until_clock_-- > 0) return Outcome::go_on;
  until_clock_ = gives_way ? kYieldsPerClock : kSpinsPerClock;
  return look_at_clock();
}

Backoff::Outcome Backoff::slept() {
  ++num_idle_;
  return look_at_clock();
}

Backoff::Outcome Backoff::look_at_clock() {
  const auto now = Clock::now();
  if (started_ == Clock::time_point{}) started_ = last_progress_ = last_look_ = now;
  if (has_moved_) last_progress_ = now;
  has_moved_ = false;
  if (policy_.deadline_s > 0 && now - started_ > std::chrono::duration<double>(policy_.deadline_s))
    return Outcome::deadline_passed;
  if (now - last_look_ < kLookEvery) return Outcome::go_on;
  last_look_ = now;
  return Outcome::look_around;
}

double Backoff::seconds_waited() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }

double Backoff::seconds_since_progress() const {
  return std::chrono::duration<double>(Clock::now() - last_progress_).count();
}

}  // namespace halyard::base
