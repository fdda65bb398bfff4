// See finding.hpp.
#include "diagnose/finding.hpp"

#include <algorithm>
#include <array>

namespace halyard::diagnose {
namespace {

constexpr std::array<std::string_view, 5> kNames{"not applicable", "ok", "unknown", "warn", "fail"};

}  // namespace

std::string_view name_of(Verdict verdict) { return kNames.at(static_cast<std::size_t>(verdict)); }

std::optional<Verdict> verdict_in(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Verdict>(found - kNames.begin());
}

std::string page_of(std::string_view check) { return "docs/doctor/" + std::string(check) + ".md"; }

Verdict worst_of(const Findings& findings) {
  Verdict worst = Verdict::not_applicable;
  for (const Finding& finding : findings) worst = std::max(worst, finding.verdict);
  return worst;
}

}  // namespace halyard::diagnose
