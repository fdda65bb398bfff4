// The list of checks: ids are unique, well formed and found again; a check that breaks its promise is caught.
#include <regex>

#include "support/machine/expect.hpp"

namespace halyard::diagnose {
namespace {

TEST(Registry, FindsEveryCheckByAnIdThatCanNameAPage) {
  std::set<std::string_view> ids;
  for (const Check& check : all_checks()) {
    EXPECT_TRUE(std::regex_match(std::string(check.id), std::regex("[a-z][a-z0-9]*(-[a-z0-9]+)*"))) << check.id;
    EXPECT_TRUE(ids.insert(check.id).second) << check.id;
    EXPECT_EQ(find_check(check.id), &check);
    EXPECT_FALSE(check.title.empty());
  }
  EXPECT_EQ(find_check("no such check"), nullptr);
}

TEST(Registry, StampsTheIdOnEveryFinding) {
  const auto tree = test::fixture("one_gpu_one_nic");
  const Machine machine(*tree);
  for (const Check& check : all_checks())
    for (const Finding& finding : run(check, machine)) EXPECT_EQ(finding.check, check.id);
}

TEST(Registry, TurnsWhatACheckThrowsIntoUnknown) {
  const auto tree = test::tree_of("");
  const Machine machine(*tree);
  const Check broken{"broken", "", [](const Machine&) -> Findings { throw std::runtime_error("no luck"); }};
  const Findings findings = run(broken, machine);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].verdict, Verdict::unknown);
  EXPECT_THAT(findings[0].evidence, testing::ElementsAre("no luck"));
}

TEST(Registry, TurnsSilenceIntoUnknown) {
  const auto tree = test::tree_of("");
  const Machine machine(*tree);
  const Check silent{"silent", "", [](const Machine&) { return Findings{}; }};
  ASSERT_EQ(run(silent, machine).size(), 1U);
  EXPECT_EQ(run(silent, machine)[0].verdict, Verdict::unknown);
}

TEST(Verdicts, AreOrderedFromNothingToFail) {
  const auto of = [](Verdict verdict) { return Finding{"", "", verdict, "", {}, ""}; };
  EXPECT_EQ(worst_of({}), Verdict::not_applicable);
  EXPECT_EQ(worst_of({of(Verdict::ok), of(Verdict::not_applicable)}), Verdict::ok);
  EXPECT_EQ(worst_of({of(Verdict::ok), of(Verdict::unknown)}), Verdict::unknown);
  EXPECT_EQ(worst_of({of(Verdict::warn), of(Verdict::unknown)}), Verdict::warn);
  EXPECT_EQ(worst_of({of(Verdict::warn), of(Verdict::fail)}), Verdict::fail);
  for (const Verdict verdict : {Verdict::ok, Verdict::warn, Verdict::fail, Verdict::unknown, Verdict::not_applicable})
    EXPECT_EQ(verdict_in(name_of(verdict)), verdict);
  EXPECT_EQ(verdict_in("bad"), std::nullopt);
}

}  // namespace
}  // namespace halyard::diagnose
