// The doctor's words: findings as text that fits a screen, as all details, and as one line for a prolog. Pure.
#pragma once

#include <string>
#include <string_view>

#include "diagnose/finding.hpp"

namespace halyard::doctor {

enum class Color { no, yes };

struct Counts {
  std::size_t fail = 0, warn = 0, unknown = 0, ok = 0, not_applicable = 0;
};

/// Of checks, not of findings: a check counts as its worst finding.
Counts counts_of(const diagnose::Findings& findings);

/// Verdict first, then what fails and what to do about it, then the names of the rest. At most 24 lines of 100 columns
/// as long as not more than eight checks fail or warn; what does not fit is named.
std::string summary_text(const diagnose::Findings& findings, std::string_view machine, Color color);

/// Every finding with its evidence, remedy and page.
std::string details_text(const diagnose::Findings& findings, Color color);

/// "fail: peermem: …; warn: port: …": one line for a log, without line break.
std::string prolog_line(const diagnose::Findings& findings);
/// 0 ok, 1 warn, 2 fail. What is unknown does not drain a node.
int prolog_exit(const diagnose::Findings& findings);

}  // namespace halyard::doctor
