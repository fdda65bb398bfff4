// Plan: layouts whose sections are aligned and apart, and hashes that are equal exactly when both ends mean the same.
#include "halyard/plan.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "unit/error_text.hpp"

namespace halyard {
namespace {

using Fields = std::vector<FieldShape>;

BoxHalo halo_of(const Width& width = Width::all(1)) {
  return {Decomposition::grid(Box::of_extent({7, 5, 3}), {2, 2, 1}), {true, true, true}, width, Reach::full};
}

Plan plan_of(const BoxHalo& halo, int rank, Fields fields) {
  return Plan(box_halo(halo, rank), std::move(fields), PathFacts::uniform(Path::shared, rank, halo.cells.num_ranks()));
}

const PlanNeighbor& to(const Plan& plan, int rank) {
  for (const PlanNeighbor& neighbor : plan.neighbors())
    if (neighbor.rank == rank) return neighbor;
  throw std::logic_error("no such neighbor");
}

const Fields kOdd{{"a", ElementType::opaque(3), {0, 1, 2}},
                  {"b", ElementType::of<double>(), {2, 1, 0}},
                  {"c", ElementType::opaque(1), {1, 0, 2}}};

void expect_sound(const MessageLayout& layout, const std::vector<Piece>& pieces, const Fields& fields) {
  ASSERT_EQ(layout.offsets.size(), pieces.size() * fields.size());
  std::int64_t end = 0;
  for (std::size_t f = 0; f < fields.size(); ++f)
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const std::int64_t offset = layout.offsets[f * pieces.size() + p];
      EXPECT_EQ(offset % kSectionAlignment, 0);
      EXPECT_GE(offset, end) << "sections overlap";
      EXPECT_LT(offset - end, kSectionAlignment) << "sections lie further apart than alignment needs";
      end = offset + pieces[p].num_cells * static_cast<std::int64_t>(fields[f].element.bytes());
    }
  EXPECT_GE(layout.bytes, end);
  EXPECT_LT(layout.bytes - end, kSectionAlignment);
}

TEST(Plan, LaysSectionsOutAlignedAndApart) {
  for (int rank = 0; rank < 4; ++rank) {
    const Plan plan = plan_of(halo_of(), rank, kOdd);
    ASSERT_EQ(plan.neighbors().size(), plan.pattern().neighbors.size());
    for (std::size_t i = 0; i < plan.neighbors().size(); ++i) {
      expect_sound(plan.neighbors()[i].send, plan.pattern().neighbors[i].sends, kOdd);
      expect_sound(plan.neighbors()[i].receive, plan.pattern().neighbors[i].receives, kOdd);
    }
  }
}

TEST(Plan, LaysOutAMessageAlikeAtBothEnds) {
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) {
      const Plan sender = plan_of(halo_of(), a, kOdd);
      const Plan receiver = plan_of(halo_of(), b, kOdd);
      EXPECT_EQ(to(sender, b).send.hash, to(receiver, a).receive.hash);
      EXPECT_EQ(to(sender, b).send.bytes, to(receiver, a).receive.bytes);
      EXPECT_EQ(to(sender, b).send.offsets, to(receiver, a).receive.offsets);
    }
}

TEST(Plan, HashesDifferWhenTheFieldsDoOrTheCells) {
  const FieldShape field{"a", ElementType::of<double>(), {0, 1, 2}};
  FieldShape same_size = field;
  same_size.element = ElementType::of<std::int64_t>();
  FieldShape opaque = field;
  opaque.element = ElementType::opaque(8);
  FieldShape larger = field;
  larger.element = ElementType::of<double>(2);
  FieldShape turned = field;
  turned.order = {2, 1, 0};
  std::set<std::uint64_t> messages;
  std::set<std::uint64_t> plans;
  const auto add = [&](const BoxHalo& halo, Fields fields) {
    const Plan plan = plan_of(halo, 0, std::move(fields));
    messages.insert(to(plan, 1).send.hash);
    plans.insert(plan.hash());
  };
  for (const FieldShape& shape : {field, same_size, opaque, larger, turned}) add(halo_of(), {shape});
  add(halo_of(), {field, field});
  add(halo_of(Width::all(2)), {field});
  EXPECT_EQ(messages.size(), 7U);
  EXPECT_EQ(plans.size(), 7U);
}

TEST(Plan, HashDoesNotDependOnNames) {
  EXPECT_EQ(plan_of(halo_of(), 0, {{"a", {}, {0, 1, 2}}}).hash(), plan_of(halo_of(), 0, {{"b", {}, {0, 1, 2}}}).hash());
}

TEST(Plan, HashDependsOnRankAndPath) {
  const Pattern pattern = box_halo(halo_of(), 0);
  const Plan shared(pattern, {{}}, PathFacts::uniform(Path::shared, 0, 4));
  const Plan mpi(pattern, {{}}, PathFacts::uniform(Path::mpi, 0, 4));
  EXPECT_NE(shared.hash(), mpi.hash());
  EXPECT_NE(shared.hash(), plan_of(halo_of(), 1, {{}}).hash());
  EXPECT_EQ(shared.hash(), plan_of(halo_of(), 0, {{}}).hash());
}

TEST(Plan, OfADirectionWithoutPiecesIsAnEmptyMessage) {
  const BoxHalo one_way{
      Decomposition::grid(Box::of_extent({4, 1, 1}), {2, 1, 1}), {}, {{1, 0, 0}, {0, 0, 0}}, Reach::full};
  const Plan plan = plan_of(one_way, 0, {{}});
  EXPECT_EQ(to(plan, 1).send.bytes, 16) << "one double, rounded up to the section alignment";
  EXPECT_EQ(to(plan, 1).receive.bytes, 0);
  EXPECT_EQ(to(plan, 1).receive.hash, 0U);
  EXPECT_TRUE(to(plan, 1).receive.offsets.empty());
}

TEST(Plan, TakesSelfToItsOwnRank) {
  const Plan plan = plan_of(halo_of(), 0, {{}});
  EXPECT_EQ(to(plan, 0).path, Path::self);
  EXPECT_EQ(to(plan, 1).path, Path::shared);
}

TEST(Plan, KeepsOffsetsBeyondFourGibibytes) {
  const std::int64_t width = (std::int64_t{1} << 32) + 16;
  const BoxHalo halo{
      Decomposition::grid(Box::of_extent({2 * width, 1, 1}), {2, 1, 1}), {}, {{width, 0, 0}, {0, 0, 0}}, Reach::full};
  const Plan plan =
      plan_of(halo, 0, {{"a", ElementType::opaque(1), {0, 1, 2}}, {"b", ElementType::opaque(64), {0, 1, 2}}});
  EXPECT_EQ(to(plan, 1).send.offsets, (std::vector<std::int64_t>{0, width}));
  EXPECT_EQ(to(plan, 1).send.bytes, 65 * width);
}

TEST(Plan, RefusesElementsOfNoOrTooManyBytes) {
  for (const std::uint32_t bytes : {0U, 65U})
    EXPECT_EQ(test::error_text(StatusCode::invalid_argument,
                               [&] {
                                 (void)plan_of(halo_of(), 0, {{"x", ElementType::opaque(bytes), {0, 1, 2}}});
                               }),
              "plan field 'x': its elements have " + std::to_string(bytes) + " bytes; 1 to 64 are possible");
}

TEST(Plan, RefusesAnAxisOrderThatIsNone) {
  EXPECT_EQ(test::error_text(StatusCode::invalid_argument,
                             [] {
                               (void)plan_of(halo_of(), 0, {{"x", {}, {0, 1, 1}}});
                             }),
            "plan field 'x': its axis order (0, 1, 1) must name each of 0, 1, 2 once");
}

TEST(Plan, RefusesFactsOfAnotherRankOrNumberOfRanks) {
  const Pattern pattern = box_halo(halo_of(), 2);
  const auto refused = [&](int rank, int num_ranks) {
    return test::error_text(StatusCode::invalid_argument,
                            [&] { Plan(pattern, {{}}, PathFacts::uniform(Path::mpi, rank, num_ranks)); });
  };
  const std::string end = "; build the pattern with the context's rank and size";
  EXPECT_EQ(refused(2, 8), "make a plan: the pattern is for rank 2 of 4, the context is rank 2 of 8" + end);
  EXPECT_EQ(refused(1, 4), "make a plan: the pattern is for rank 2 of 4, the context is rank 1 of 4" + end);
}

}  // namespace
}  // namespace halyard
