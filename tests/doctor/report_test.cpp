// What the doctor prints: the screen, the details, the line for a prolog, JSON and what has changed since.
#include "doctor/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/check.hpp"
#include "doctor/drift.hpp"
#include "doctor/json.hpp"
#include "facts/text.hpp"
#include "halyard/status.hpp"
#include "support/machine/tree_text.hpp"

namespace halyard::doctor {
namespace {

using diagnose::Finding;
using diagnose::Findings;
using diagnose::Verdict;
using testing::HasSubstr;
using testing::Not;

Finding finding(const char* check, Verdict verdict, const char* subject = "", const char* summary = "as it is") {
  const bool is_bad = verdict == Verdict::warn || verdict == Verdict::fail;
  return {check, subject, verdict, summary, {"/sys/x: \"1\""}, is_bad ? "mend it" : ""};
}

Findings findings_on(const char* tree, std::string_view changes = {}) {
  const auto root = test::fixture(tree, changes);
  return diagnose::run_all(diagnose::Machine(*root));
}

std::size_t columns_of(std::string_view line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

TEST(Summary, SaysTheVerdictFirstThenWhatToDo) {
  const std::string text = summary_text({finding("a", Verdict::ok), finding("b", Verdict::warn, "x"),
                                         finding("c", Verdict::fail, "y", "it broke"), finding("d", Verdict::unknown)},
                                        "node", Color::no);
  EXPECT_EQ(text,
            "node: a direct path is closed (1 fail, 1 warn, 1 unknown, 1 ok, 0 not applicable)\n"
            "FAIL     c: y: it broke\n"
            "     do: mend it\n"
            "WARN     b: x: as it is\n"
            "     do: mend it\n"
            "unknown: d\n"
            "ok: a\n"
            "what was seen: halyard doctor --details, or --check NAME; what it means: docs/doctor/NAME.md\n");
}

TEST(Summary, FitsAScreenOnASickMachine) {
  const std::string text = summary_text(
      findings_on("dgx",
                  "/sys/kernel/mm/memory_peers -\nrdma mlx5_3 pci=0000:2d:00.0 state=DOWN\nenv CUDA_VISIBLE_DEVICES=9\n"
                  "rdma mlx5_2 pci=0000:2c:00.0 fw=20.29.0500 rate=100\nenv NCCL_GPUDIRECT=1\nenv UCX_TLS=tcp"),
      "dgx", Color::no);
  const auto lines = facts::lines_of(text);
  EXPECT_LE(lines.size(), 24U) << text;
  for (const auto line : lines) EXPECT_LE(columns_of(line), 100U) << line;
  EXPECT_THAT(text, HasSubstr("FAIL     gpu-visible: there is no GPU 9 (of 8)"));
}

TEST(Summary, CountsAndShowsAFindingOfManySubjectsOnce) {
  Findings findings;
  for (const char* port : {"mlx5_0:1", "mlx5_1:1", "mlx5_2:1"})
    findings.push_back(finding("port", Verdict::warn, port));
  findings.push_back(finding("port", Verdict::ok, "mlx5_3:1"));
  const std::string text = summary_text(findings, "node", Color::no);
  EXPECT_THAT(text, HasSubstr("0 fail, 1 warn, 0 unknown, 0 ok"));
  EXPECT_THAT(text, HasSubstr("port: mlx5_0:1: as it is (and 2 more)"));
}

TEST(Summary, NamesWhatDoesNotFit) {
  const char* const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
  Findings findings;
  for (const char* name : names) findings.push_back(finding(name, Verdict::warn));
  EXPECT_THAT(summary_text(findings, "node", Color::no), HasSubstr("and more: i, j\n"));
}

TEST(Color, IsThereOnlyWhenAskedFor) {
  const Findings findings = {finding("a", Verdict::fail)};
  EXPECT_THAT(summary_text(findings, "node", Color::no) + details_text(findings, Color::no), Not(HasSubstr("\x1b")));
  EXPECT_THAT(summary_text(findings, "node", Color::yes), HasSubstr("\x1b[31mFAIL\x1b[0m"));
}

TEST(Details, ShowEvidenceRemedyAndPage) {
  EXPECT_EQ(details_text({finding("a", Verdict::warn, "x")}, Color::no),
            "warn  a x: as it is\n  saw: /sys/x: \"1\"\n  do:  mend it\n  see: docs/doctor/a.md\n");
}

TEST(Prolog, IsOneLineWithAnExitCode) {
  const struct {
    Findings findings;
    const char* line;
    int code;
  } cases[] = {
      {{finding("a", Verdict::ok), finding("b", Verdict::not_applicable)}, "halyard doctor: ok: 1 checks", 0},
      {{finding("a", Verdict::unknown)}, "halyard doctor: ok: 0 checks; 1 unknown", 0},
      {{finding("a", Verdict::warn, "x")}, "halyard doctor: warn: a x: as it is", 1},
      {{finding("a", Verdict::warn), finding("b", Verdict::fail)},
       "halyard doctor: fail: b: as it is; warn: a: as it is",
       2},
  };
  for (const auto& [findings, line, code] : cases) {
    EXPECT_EQ(prolog_line(findings), line);
    EXPECT_EQ(prolog_exit(findings), code);
  }
}

TEST(Json, IsReadAsItWasWritten) {
  const Findings findings = findings_on("roce_node");
  const Findings again = findings_in(json_of(findings, "node"));
  ASSERT_EQ(again.size(), findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    EXPECT_EQ(again[i].check, findings[i].check);
    EXPECT_EQ(again[i].subject, findings[i].subject);
    EXPECT_EQ(again[i].verdict, findings[i].verdict);
    EXPECT_EQ(again[i].summary, findings[i].summary);
  }
}

TEST(Json, TakesAnyBytesAsEvidence) {
  Finding odd = finding("a", Verdict::ok);
  odd.evidence = {"\xff\xfe \"quoted\" \\"};
  EXPECT_EQ(findings_in(json_of({odd}, "\xc3")).size(), 1U);
}

TEST(Json, RefusesWhatIsNoBaseline) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "it is no JSON"},
      {"{", "it is no JSON"},
      {"[1]", "its format is not halyard-doctor-1"},
      {R"({"format": "halyard-doctor-2"})", "its format is not"},
      {R"({"format": "halyard-doctor-1"})", "findings"},
      {R"({"format": "halyard-doctor-1", "findings": [{"check": 3}]})", "type must be string"},
      {R"({"format": "halyard-doctor-1", "findings": [{"check": "a", "subject": "", "summary": "", "verdict": "bad"}]})",
       "no verdict 'bad'"},
  };
  for (const auto& [text, what] : cases) {
    try {
      findings_in(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(what));
    }
  }
}

TEST(Drift, OfTheSameMachineIsNothing) {
  const Findings findings = findings_on("dgx");
  EXPECT_TRUE(drift_of(findings, findings).empty());
  EXPECT_EQ(drift_text({}), "since the baseline nothing has changed\n");
  EXPECT_EQ(drift_exit({}), 0);
}

TEST(Drift, NamesWhatGotWorseBetterCameAndWent) {
  const Findings before = {finding("port", Verdict::ok, "mlx5_0:1"), finding("port", Verdict::warn, "mlx5_1:1"),
                           finding("nic", Verdict::ok, "mlx5_2")};
  const Findings now = {finding("port", Verdict::fail, "mlx5_0:1"), finding("port", Verdict::ok, "mlx5_1:1"),
                        finding("gpu", Verdict::ok, "", "8 GPUs")};
  EXPECT_EQ(drift_text(drift_of(before, now)),
            "since the baseline 4 findings have changed\n"
            "WORSE  port mlx5_0:1: ok, as it is -> fail, as it is\n"
            "       port mlx5_1:1: warn, as it is -> ok, as it is\n"
            "       gpu: was not there -> ok, 8 GPUs\n"
            "WORSE  nic mlx5_2: ok, as it is -> is gone\n");
  EXPECT_EQ(drift_exit(drift_of(before, now)), 1);
}

TEST(Drift, OfAMachineThatLostAPort) {
  const Findings before = findings_on("dgx");
  const Findings now = findings_on("dgx", "rdma mlx5_3 pci=0000:2d:00.0 state=DOWN");
  const std::string text = drift_text(drift_of(before, now));
  EXPECT_THAT(text, HasSubstr("WORSE  port mlx5_3:1: ok"));
}

}  // namespace
}  // namespace halyard::doctor
