// Tag: 64 bits that name an exchange, alike at both ends.
#include "exchange/tag.hpp"

#include <gtest/gtest.h>

namespace halyard::exchange {
namespace {

TEST(Tag, IsReadAsItWasWritten) {
  const Tag tag = Tag::of_word(Tag{4711, Kind::reverse, Reduce::max, 0xabcdef}.word());
  EXPECT_EQ(tag.number, 4711U);
  EXPECT_EQ(tag.kind, Kind::reverse);
  EXPECT_EQ(tag.op, Reduce::max);
  EXPECT_EQ(tag.layout_hash, 0xabcdefU);
}

TEST(Tag, DiffersWheneverOneOfItsPartsDoes) {
  const Tag tag{1, Kind::forward, Reduce::sum, 5};
  EXPECT_NE(tag.word(), (Tag{2, Kind::forward, Reduce::sum, 5}.word()));
  EXPECT_NE(tag.word(), (Tag{1, Kind::reverse, Reduce::sum, 5}.word()));
  EXPECT_NE(tag.word(), (Tag{1, Kind::forward, Reduce::min, 5}.word()));
  EXPECT_NE(tag.word(), (Tag{1, Kind::forward, Reduce::sum, 6}.word()));
}

TEST(Tag, KeepsItsPartsApartWhenTheyAreLarge) {
  const Tag tag{0x1'ffff'ffffU, Kind::forward, Reduce::sum, UINT64_MAX};
  EXPECT_EQ(tag.word(), 0xffff'ffff'00ff'ffffU) << "32 bits of the number, 24 of the hash";
}

}  // namespace
}  // namespace halyard::exchange
