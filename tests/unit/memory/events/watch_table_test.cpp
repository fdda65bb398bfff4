// WatchTable and what is left of a range: pure.
#include "memory/events/watch_table.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "memory/events/host_events.hpp"

namespace halyard::memory {
namespace {

TEST(WatchTable, OnlyWhatOverlapsBecomesStale) {
  const auto table = std::make_unique<WatchTable>();
  const auto left = *table->add({100, 200}), middle = *table->add({200, 300}), right = *table->add({300, 400});
  table->note({200, 300});
  EXPECT_FALSE(table->is_stale(left));
  EXPECT_TRUE(table->is_stale(middle));
  EXPECT_FALSE(table->is_stale(right));
  table->note({399, 1000});
  EXPECT_TRUE(table->is_stale(right));
  EXPECT_EQ(table->num_stale(), 2U);
}

TEST(WatchTable, OneRangeIsCountedAsStaleOnce) {
  const auto table = std::make_unique<WatchTable>();
  (void)table->add({100, 200});
  table->note({100, 101});
  table->note({150, 151});
  EXPECT_EQ(table->num_stale(), 1U);
}

TEST(WatchTable, ASlotThatIsGivenAwayAgainBeginsFresh) {
  const auto table = std::make_unique<WatchTable>();
  const auto first = *table->add({100, 200});
  table->note({100, 200});
  table->remove(first);
  table->note({0, 1000});
  EXPECT_EQ(table->num_stale(), 1U) << "a removed range hears nothing";
  const auto second = *table->add({100, 200});
  EXPECT_EQ(second, first);
  EXPECT_FALSE(table->is_stale(second));
}

TEST(WatchTable, RefusesMoreThanItHoldsAndGivesFreedSlotsOut) {
  const auto table = std::make_unique<WatchTable>();
  for (std::size_t i = 0; i < WatchTable::kSlots; ++i) ASSERT_TRUE(table->add({100 * i + 1, 100 * i + 50}));
  EXPECT_FALSE(table->add({1, 2}));
  table->remove(17);
  EXPECT_EQ(table->add({1, 2}), 17U);
  EXPECT_FALSE(table->add({1, 2}));
}

using Ranges = std::vector<Range>;

TEST(Uncovered, IsWhatOthersLeaveOfARange) {
  EXPECT_EQ(uncovered({10, 20}, {}), (Ranges{{10, 20}}));
  EXPECT_EQ(uncovered({10, 20}, {{0, 10}, {20, 30}}), (Ranges{{10, 20}}));
  EXPECT_EQ(uncovered({10, 20}, {{0, 12}, {18, 30}}), (Ranges{{12, 18}}));
  EXPECT_EQ(uncovered({10, 20}, {{14, 15}, {12, 13}}), (Ranges{{10, 12}, {13, 14}, {15, 20}}));
  EXPECT_EQ(uncovered({10, 20}, {{12, 17}, {13, 14}}), (Ranges{{10, 12}, {17, 20}}));
  EXPECT_EQ(uncovered({10, 20}, {{10, 20}}), Ranges{});
  EXPECT_EQ(uncovered({10, 20}, {{5, 15}, {15, 25}}), Ranges{});
}

}  // namespace
}  // namespace halyard::memory
