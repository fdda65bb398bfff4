// check_views: each promise about a caller's array, refused in words when it is broken.
#include "exchange/view_check.hpp"

#include <gtest/gtest.h>

#include "unit/error_text.hpp"

namespace halyard::exchange {
namespace {

using test::error_text;

// Rank 1 of 3 on a line of 4 x 3 cells each, halo of 2 below and 1 above on x.
Plan plan_of(int rank = 1, std::size_t num_fields = 1) {
  const BoxHalo halo{
      Decomposition::grid(Box::of_extent({12, 3, 1}), {3, 1, 1}), {}, {{2, 0, 0}, {1, 0, 0}}, Reach::full};
  return Plan(box_halo(halo, rank),
              std::vector<FieldShape>(num_fields, FieldShape{"p", ElementType::of<double>(), {0, 1, 2}}),
              PathFacts::uniform(Path::shared, rank, 3));
}

FieldView right_view() {
  static double memory[7 * 3];
  return FieldView::grid(memory, {4, 3, 1}, {{2, 0, 0}, {1, 0, 0}}, Storage::x_fastest, "p");
}

std::string refusal(const FieldView& view, const Plan& plan = plan_of()) {
  return error_text(StatusCode::invalid_argument, [&] { check_views(plan, {&view, 1}); });
}

TEST(CheckViews, TakesAnArrayOfTheOwnedBoxAndItsHalo) { EXPECT_EQ(refusal(right_view()), "nothing was thrown"); }

TEST(CheckViews, TakesALargerArrayWithTheBoxAnywhereInIt) {
  FieldView view = right_view();
  view.extent = {20, 9, 4};
  view.origin = {9, 6, 3};
  EXPECT_EQ(refusal(view), "nothing was thrown");
}

TEST(CheckViews, RefusesTheWrongNumberOfViews) {
  const FieldView views[2] = {right_view(), right_view()};
  EXPECT_EQ(error_text(StatusCode::invalid_argument, [&] { check_views(plan_of(), views); }),
            "bind 1 field(s) on 1 local patch(es) of rank 1: 2 views were given; give one per field and patch, "
            "views[field * patches + patch]");
  EXPECT_EQ(error_text(StatusCode::invalid_argument,
                       [&] {
                         check_views(plan_of(1, 2), {views, 1});
                       }),
            "bind 2 field(s) on 1 local patch(es) of rank 1: 1 views were given; give one per field and patch, "
            "views[field * patches + patch]");
  EXPECT_NO_THROW(check_views(plan_of(1, 2), views));
}

TEST(CheckViews, RefusesANullPointer) {
  FieldView view = right_view();
  view.data = nullptr;
  EXPECT_EQ(refusal(view),
            "bind field 'p' on local patch 0: the pointer is null; give the address of the array's first cell");
}

TEST(CheckViews, RefusesAnotherElement) {
  FieldView view = right_view();
  view.element = ElementType::of<float>();
  EXPECT_EQ(refusal(view),
            "bind field 'p' on local patch 0: its elements have 4 bytes of another type than the 8 bytes planned");
  view.element = ElementType::of<std::int64_t>();
  EXPECT_NE(refusal(view), "nothing was thrown") << "same size, another type";
}

TEST(CheckViews, NamesTheAxisOnWhichAnArrayIsTooSmall) {
  const std::string end = " are needed; make the array at least the owned box plus the halo width on each side";
  FieldView view = right_view();
  view.extent[0] = 6;
  EXPECT_EQ(refusal(view),
            "bind field 'p' on local patch 0: axis 0 has 6 cells with the first owned one at 2, but 2 below it "
            "and 5 from it on" +
                end);
  view = right_view();
  view.origin[0] = 1;
  EXPECT_EQ(refusal(view),
            "bind field 'p' on local patch 0: axis 0 has 7 cells with the first owned one at 1, but 2 below it "
            "and 5 from it on" +
                end);
  view = right_view();
  view.extent[1] = 2;
  EXPECT_EQ(refusal(view),
            "bind field 'p' on local patch 0: axis 1 has 2 cells with the first owned one at 0, but 0 below it "
            "and 3 from it on" +
                end);
}

TEST(CheckViews, NeedsNoRoomForGhostsThatNobodyFills) {
  FieldView view = right_view();
  view.extent[0] = 5;
  view.origin[0] = 0;
  EXPECT_EQ(refusal(view, plan_of(0)), "nothing was thrown") << "rank 0 has no neighbor below";
}

TEST(CheckViews, RefusesAStrideOfZero) {
  FieldView view = right_view();
  view.stride_bytes[1] = 0;
  EXPECT_EQ(refusal(view), "bind field 'p' on local patch 0: the stride of axis 1 is 0, so all its cells are one");
}

TEST(CheckViews, TakesAStrideOfZeroOnAnAxisOfOneCell) {
  FieldView view = right_view();
  view.stride_bytes[2] = 0;
  EXPECT_EQ(refusal(view), "nothing was thrown");
}

TEST(CheckViews, TakesANullPointerForAPatchWithoutCells) {
  const BoxHalo halo{Decomposition::grid(Box::of_extent({1, 1, 1}), {2, 1, 1}), {}, Width::axes(1, 0, 0), Reach::full};
  const Plan plan(box_halo(halo, 0), {{"p", {}, {0, 1, 2}}}, PathFacts::uniform(Path::shared, 0, 2));
  ASSERT_TRUE(plan.pattern().patches[0].box.empty());
  FieldView view;
  view.extent = {0, 1, 1};
  EXPECT_EQ(refusal(view, plan), "nothing was thrown");
}

TEST(CheckViews, WantsRoomForTheHighestElementOfAnIndexPattern) {
  const std::vector<IndexHalo> lists{{{1, 2}, {3}, {}, {9}}, {{3}, {}, {}, {}}};
  const Plan plan(index_halo(lists, 0), {{"p", {}, {0, 1, 2}}}, PathFacts::uniform(Path::shared, 0, 2));
  double memory[10] = {};
  EXPECT_EQ(refusal(FieldView::list(memory, 10), plan), "nothing was thrown");
  EXPECT_NE(refusal(FieldView::list(memory, 9), plan).find("axis 0 has 9 cells"), std::string::npos);
}

TEST(SpanOf, BeginsAtTheLowestAddressOfAView) {
  double memory[4 * 5] = {};
  FieldView view = FieldView::grid(memory, {4, 5, 1}, Width{});
  EXPECT_EQ(span_of(view).data(), reinterpret_cast<std::byte*>(memory));
  EXPECT_EQ(span_of(view).size(), sizeof(memory));
  view.data = &memory[4 * 4];
  view.stride_bytes[1] = -view.stride_bytes[1];
  EXPECT_EQ(span_of(view).data(), reinterpret_cast<std::byte*>(memory));
  EXPECT_EQ(span_of(view).size(), sizeof(memory));
}

TEST(SpanOf, OfNothingIsEmpty) {
  double memory[1] = {};
  EXPECT_TRUE(span_of(FieldView::list(memory, 0)).empty());
  EXPECT_TRUE(span_of(FieldView{}).empty());
}

}  // namespace
}  // namespace halyard::exchange
