// Rows of tables that say what the doctor finds on a machine, and the comparison with what it does find.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "diagnose/check.hpp"
#include "support/machine/tree_text.hpp"

namespace halyard::test {

/// On the machine `tree` with `changes`, check `id` ends as `verdict` (the worst of its findings), and that finding's
/// texts (subject, summary, evidence, remedy) contain each of `says`.
struct Expected {
  const char* what;  // a claim, printed on failure
  const char* tree;
  const char* changes;
  const char* id;
  diagnose::Verdict verdict;
  std::vector<const char*> says;
};

inline std::string whole_text(const diagnose::Finding& finding) {
  std::string text = finding.subject + "\n" + finding.summary + "\n";
  for (const std::string& item : finding.evidence) text += item + "\n";
  return text + finding.remedy;
}

inline void expect(const Expected& row) {
  SCOPED_TRACE(row.what);
  const auto tree = fixture(row.tree, row.changes);
  const diagnose::Machine machine(*tree);
  const diagnose::Check* check = diagnose::find_check(row.id);
  ASSERT_NE(check, nullptr) << "no check " << row.id;
  std::string all, worst;
  diagnose::Findings findings;
  ASSERT_NO_THROW(findings = check->run(machine));
  const diagnose::Verdict verdict = diagnose::worst_of(findings);
  for (const diagnose::Finding& finding : findings) {
    all += std::string(name_of(finding.verdict)) + ": " + whole_text(finding) + "\n";
    if (finding.verdict == verdict) worst += whole_text(finding) + "\n";
  }
  EXPECT_EQ(name_of(verdict), name_of(row.verdict)) << all;
  for (const char* text : row.says) EXPECT_THAT(worst, testing::HasSubstr(text));
  for (const diagnose::Finding& finding : findings) {
    const bool is_bad = finding.verdict == diagnose::Verdict::warn || finding.verdict == diagnose::Verdict::fail;
    EXPECT_FALSE(finding.summary.empty());
    EXPECT_FALSE(is_bad && finding.remedy.empty()) << "no remedy: " << whole_text(finding);
    EXPECT_FALSE(is_bad && finding.evidence.empty()) << "no evidence: " << whole_text(finding);
  }
}

}  // namespace halyard::test
