// The line is overwritten in place and cleared at the end.
#include "common/progress.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>

namespace halyard::app {
namespace {

std::string duration_text(double seconds) {
  const auto s = static_cast<std::int64_t>(std::ceil(seconds));
  if (s < 100) return std::to_string(s) + " s";
  if (s < 6000) return std::to_string((s + 30) / 60) + " min";
  return std::to_string(s / 3600) + " h " + std::to_string(s % 3600 / 60) + " min";
}

}  // namespace

std::string progress_text(std::int64_t done, std::int64_t total, double elapsed_s) {
  const double share = static_cast<double>(done) / static_cast<double>(total);
  std::string text = "step " + std::to_string(done) + " of " + std::to_string(total) + ", " +
                     std::to_string(static_cast<int>(100 * share)) + " %";
  if (done > 0) text += ", " + duration_text(elapsed_s * (1 - share) / share) + " left";
  return text;
}

Progress::Progress(int rank, std::int64_t num_steps)
    : is_shown_(rank == 0 && isatty(STDERR_FILENO) == 1), num_steps_(num_steps) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (has_line_) std::fputs("\r\033[K", stderr);
  has_line_ = false;
}

void Progress::show(std::int64_t steps_done) {
  if (!is_shown_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  const std::chrono::duration<double> elapsed = now - begin_;
  std::fprintf(stderr, "\r\033[K%s", progress_text(steps_done, num_steps_, elapsed.count()).c_str());
  std::fflush(stderr);
  has_line_ = true;
}

}  // namespace halyard::app
