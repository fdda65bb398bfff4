// See drift.hpp.
#include "doctor/drift.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace halyard::doctor {
namespace {

using diagnose::Finding;
using diagnose::Findings;
using diagnose::Verdict;

// A check without subject may have several findings: the n-th of one name belongs to the n-th of the other.
const Finding* partner_of(const Finding& finding, std::size_t number, const Findings& others) {
  for (const Finding& other : others)
    if (other.check == finding.check && other.subject == finding.subject && number-- == 0) return &other;
  return nullptr;
}

std::size_t number_of(const Findings& findings, std::size_t index) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.begin() + static_cast<std::ptrdiff_t>(index), [&](const Finding& other) {
        return other.check == findings[index].check && other.subject == findings[index].subject;
      }));
}

std::string words_of(const Finding& finding) {
  return fmt::format("{}, {}", name_of(finding.verdict), finding.summary);
}

bool is_changed(const Finding& before, const Finding& now) {
  if (before.verdict != now.verdict) return true;
  const bool is_of_interest = now.verdict == Verdict::ok || now.verdict == Verdict::warn;
  return is_of_interest && before.summary != now.summary;
}

// Gone is worse: a port, an adapter, a GPU that is not seen any more.
bool is_bad(Verdict verdict) { return verdict == Verdict::warn || verdict == Verdict::fail; }

}  // namespace

std::vector<Drift> drift_of(const Findings& before, const Findings& now) {
  std::vector<Drift> drifts;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Finding* old = partner_of(now[i], number_of(now, i), before);
    if (old == nullptr)
      drifts.push_back({now[i].check, now[i].subject, "", words_of(now[i]), is_bad(now[i].verdict)});
    else if (is_changed(*old, now[i]))
      drifts.push_back({now[i].check, now[i].subject, words_of(*old), words_of(now[i]), now[i].verdict > old->verdict});
  }
  for (std::size_t i = 0; i < before.size(); ++i)
    if (partner_of(before[i], number_of(before, i), now) == nullptr)
      drifts.push_back({before[i].check, before[i].subject, words_of(before[i]), "", before[i].verdict == Verdict::ok});
  return drifts;
}

std::string drift_text(const std::vector<Drift>& drifts) {
  if (drifts.empty()) return "since the baseline nothing has changed\n";
  std::string text = fmt::format("since the baseline {} findings have changed\n", drifts.size());
  for (const Drift& drift : drifts) {
    const std::string name = drift.subject.empty() ? drift.check : drift.check + " " + drift.subject;
    text +=
        fmt::format("{}{}: {} -> {}\n", drift.is_worse ? "WORSE  " : "       ", name,
                    drift.before.empty() ? "was not there" : drift.before, drift.now.empty() ? "is gone" : drift.now);
  }
  return text;
}

int drift_exit(const std::vector<Drift>& drifts) {
  return std::any_of(drifts.begin(), drifts.end(), [](const Drift& drift) { return drift.is_worse; }) ? 1 : 0;
}

}  // namespace halyard::doctor
