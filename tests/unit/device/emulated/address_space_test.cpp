#include "device/emulated/address_space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/error_text.hpp"

namespace halyard::device::emulated {
namespace {

constexpr std::size_t kGranule = AddressSpace::kGranule;

TEST(AddressSpace, leaves_an_unreadable_granule_behind_each_block) {
  AddressSpace space;
  std::byte* first = space.take(1);
  std::byte* second = space.take(kGranule + 1);
  std::byte* third = space.take(1);
  EXPECT_EQ(second - first, 2 * static_cast<std::ptrdiff_t>(kGranule));
  EXPECT_EQ(third - second, 3 * static_cast<std::ptrdiff_t>(kGranule));
}

TEST(AddressSpace, does_not_use_a_freed_address_again_unless_asked) {
  AddressSpace space;
  std::byte* first = space.take(kGranule);
  space.give_back(first, kGranule);
  EXPECT_NE(space.take(kGranule), first);
  EXPECT_EQ(space.take_at(first, kGranule), first);
  EXPECT_EQ(space.take_at(first, kGranule), nullptr);
}

TEST(AddressSpace, is_whole_again_when_all_is_freed_in_any_order) {
  AddressSpace space;
  std::byte* blocks[3] = {space.take(1), space.take(1), space.take(1)};
  for (const int i : {1, 0, 2}) space.give_back(blocks[i], 1);
  EXPECT_EQ(space.take(AddressSpace::kWindow - kGranule), blocks[0]);
}

TEST(AddressSpace, comes_around_when_its_end_is_reached) {
  AddressSpace space;
  std::byte* first = space.take(1);
  space.take(AddressSpace::kWindow / 2);
  space.give_back(first, 1);
  space.take(AddressSpace::kWindow / 2 - 4 * kGranule);
  EXPECT_EQ(space.take(1), first);
}

TEST(AddressSpace, refuses_more_than_it_has) {
  AddressSpace space;
  EXPECT_THAT(test::error_text(StatusCode::out_of_resources, [&] { space.take(AddressSpace::kWindow); }),
              ::testing::HasSubstr("no room in 64 GiB"));
}

}  // namespace
}  // namespace halyard::device::emulated
