// Finding: one diagnosed fact, in the words that the doctor prints, that refusals name and that JSON keeps. Pure data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halyard::diagnose {

enum class Verdict : std::uint8_t {
  not_applicable,  // nothing here that it could be about
  ok,
  unknown,  // cannot be known from what may be read here; never taken for ok
  warn,     // works, and slower or more fragile than it need be
  fail,     // a direct path is closed by it
};

/// "ok", "warn", "fail", "unknown", "not applicable"
std::string_view name_of(Verdict verdict);
std::optional<Verdict> verdict_in(std::string_view name);

struct Finding {
  std::string check;    // id: the name of docs/doctor/<id>.md, and what --check takes
  std::string subject;  // what it is about where there are several: "mlx5_0:1", "0000:41:00.0"; may be empty
  Verdict verdict = Verdict::unknown;
  std::string summary;                // one sentence without line break
  std::vector<std::string> evidence;  // what was read or tried, verbatim, one item a line
  std::string remedy;                 // a command or a setting for this machine; empty when nothing is to be done
};

using Findings = std::vector<Finding>;

/// "docs/doctor/<id>.md"
std::string page_of(std::string_view check);

/// The worst: fail, then warn, unknown, ok, not applicable (that of nothing).
Verdict worst_of(const Findings& findings);

}  // namespace halyard::diagnose
