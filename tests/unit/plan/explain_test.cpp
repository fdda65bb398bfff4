// Plan::explain: per neighbor the path, the bytes, and why no better path was taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halyard/plan.hpp"
#include "plan/byte_text.hpp"
#include "plan/explain_table.hpp"

namespace halyard {
namespace {

using testing::HasSubstr;
using testing::Not;

Plan plan_of_rank_0_of_2() {
  const BoxHalo halo{Decomposition::grid(Box::of_extent({8, 4, 1}), {2, 1, 1}),
                     {true, true, false},
                     Width::axes(1, 1, 0),
                     Reach::full};
  PathFacts facts;
  facts.num_ranks = 2;
  facts.of(Path::shared) = {true, "", {0, 0}, "rank is on another node", {}};
  facts.of(Path::verbs) = {false, "no RDMA device", {}, "", {}};
  facts.of(Path::ucx) = {false, "this build has no UCX", {}, "", {}};
  facts.of(Path::mpi).is_open = true;
  return Plan(box_halo(halo, 0), {{"p", {}, {0, 1, 2}}}, facts);
}

std::string line_with(const std::string& text, const std::string& part) {
  const auto at = text.find(part);
  if (at == std::string::npos) return {};
  const auto begin = text.rfind('\n', at) + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

TEST(Explain, SaysWhosePlanItIsAndHowMuchLeavesTheRank) {
  EXPECT_THAT(
      plan_of_rank_0_of_2().explain(),
      HasSubstr("rank 0 of 2: box pattern, 1 patch(es), 1 field(s), 2 neighbor(s), 128 B sent to others per step\n"));
}

TEST(Explain, GivesEachBetterPathWithItsReason) {
  const std::string line = line_with(plan_of_rank_0_of_2().explain(), "mpi");
  EXPECT_THAT(line, HasSubstr("shared: rank is on another node; verbs: no RDMA device; ucx: this build has no UCX"));
}

TEST(Explain, SaysThatOwnImagesAreCopiedInPlace) {
  const std::string line = line_with(plan_of_rank_0_of_2().explain(), "self");
  EXPECT_THAT(line, HasSubstr("- (own periodic images and patches, copied in place)"));
  EXPECT_THAT(line, Not(HasSubstr("another node")));
}

TEST(Explain, HasADashWhereNothingBetterWasRefused) {
  const auto cells = Decomposition::grid(Box::of_extent({8, 1, 1}), {2, 1, 1});
  const Plan plan(box_halo({cells, {}, Width::axes(1, 0, 0), Reach::full}, 0), {{}},
                  PathFacts::uniform(Path::shared, 0, 2));
  const std::string line = line_with(plan.explain(), "shared");
  EXPECT_EQ(line.substr(line.size() - 3), "  -");
}

TEST(Explain, ShowsTheFormOfEachNeighborWhenABindingKnowsIt) {
  const plan::Form forms[] = {{"copy", "", 0}, {"mailbox", "direct: not in Halyard's memory", 12.34}};
  const std::string text = plan::explain_table(plan_of_rank_0_of_2(), forms);
  EXPECT_THAT(line_with(text, "self"), HasSubstr("copy"));
  EXPECT_THAT(line_with(text, "mpi"), HasSubstr("mailbox"));
  EXPECT_THAT(line_with(text, "mpi"), HasSubstr("      6.0      12.3  direct"));
  EXPECT_THAT(line_with(text, "mpi"), HasSubstr("direct: not in Halyard's memory"));
}

TEST(ExplainJson, SaysTheSameToPrograms) {
  const plan::Form forms[] = {{"copy", "", 0}, {"mailbox", "say \"why\"", 12.34}};
  const std::string text = plan::explain_json(plan_of_rank_0_of_2(), forms);
  EXPECT_EQ(text.rfind("{\"rank\":0,\"num_ranks\":2,\"fields\":[\"p\"],\"neighbors\":[\n", 0), 0U) << text;
  EXPECT_THAT(text, HasSubstr("{\"rank\":1,\"path\":\"mpi\",\"form\":\"mailbox\",\"form_reason\":\"say \\\"why\\\"\","
                              "\"staged\":false,\"send_bytes\":128,\"receive_bytes\":128,\"predicted_us\":6.0,"
                              "\"measured_us\":12.3,\"refused\":[{\"path\":\"shared\",\"reason\":\"rank is on another "
                              "node\"},{\"path\":\"verbs\",\"reason\":\"no RDMA device\"}"));
  EXPECT_THAT(text, HasSubstr("\"path\":\"self\",\"form\":\"copy\""));
  EXPECT_THAT(plan::explain_json(plan_of_rank_0_of_2(), {}), HasSubstr("\"measured_us\":null"));
}

TEST(Explain, CallsAnIndexPatternOne) {
  const std::vector<IndexHalo> lists{{{1}, {2}, {}, {}}, {{2}, {}, {}, {}}};
  EXPECT_THAT(Plan(index_halo(lists, 0), {{}}, PathFacts::uniform(Path::mpi, 0, 2)).explain(),
              HasSubstr("index pattern"));
}

TEST(ByteText, UsesTheLargestUnitThatLeavesANumber) {
  EXPECT_EQ(plan::byte_text(0), "0 B");
  EXPECT_EQ(plan::byte_text(1023), "1023 B");
  EXPECT_EQ(plan::byte_text(1024), "1.0 KiB");
  EXPECT_EQ(plan::byte_text(67584), "66.0 KiB");
  EXPECT_EQ(plan::byte_text(std::int64_t{5} << 30), "5.0 GiB");
  EXPECT_EQ(plan::byte_text(std::int64_t{2048} << 40), "2048.0 TiB");
}

}  // namespace
}  // namespace halyard
