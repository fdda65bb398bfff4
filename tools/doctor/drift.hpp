// What has changed since a baseline: verdicts of the same check and subject, and what came or went. Pure.
#pragma once

#include <string>
#include <vector>

#include "diagnose/finding.hpp"

namespace halyard::doctor {

struct Drift {
  std::string check, subject;
  std::string before, now;  // verdict and summary; empty: was not there, is not there
  bool is_worse = false;
};

/// In the order of `now`, then what is gone. A summary that changed under an equal verdict counts only for ok and warn
/// of one subject: a rate, a firmware.
std::vector<Drift> drift_of(const diagnose::Findings& before, const diagnose::Findings& now);

/// A line each; "nothing has changed" for none.
std::string drift_text(const std::vector<Drift>& drifts);

/// 0 nothing has changed, or for the better; 1 something is worse or gone.
int drift_exit(const std::vector<Drift>& drifts);

}  // namespace halyard::doctor
