// Progress: a line with the remaining time, on a terminal only, at most five times a second.
//
// Silent on every rank but 0 and when standard error is no terminal. Main thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace halyard::app {

/// "step 1200 of 10000, 12 %, 14 s left"
std::string progress_text(std::int64_t done, std::int64_t total, double elapsed_s);

class Progress {
 public:
  Progress(int rank, std::int64_t num_steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::int64_t steps_done);
  /// Makes room for other text; the line comes back with the next show().
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_shown_;
  std::int64_t num_steps_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_ + std::chrono::milliseconds(200);
  bool has_line_ = false;
};

}  // namespace halyard::app
