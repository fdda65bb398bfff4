// Hash: pinned values, since ranks on different machines and versions compare them.
#include "base/hash.hpp"

#include <gtest/gtest.h>

#include <set>

namespace halyard::base {
namespace {

// Worked out by another program from the definition of splitmix64's finalizer.
TEST(Hash, HasTheValuesItAlwaysHad) {
  EXPECT_EQ(Hash().value(), 0x48616c7961726421ULL);
  EXPECT_EQ(Hash().add(std::uint64_t{1}).value(), 0x864a3d9c22aaf099ULL);
  EXPECT_EQ(Hash().add(1).add(2).add(3).value(), 0xd27c90b40bc1d618ULL);
  EXPECT_EQ(Hash().add("halo").value(), 0xb077c5c8a265bb5bULL);
}

TEST(Hash, TreatsEveryIntegerTypeAlike) {
  EXPECT_EQ(Hash().add(7).value(), Hash().add(std::int64_t{7}).value());
  EXPECT_EQ(Hash().add(7).value(), Hash().add(std::uint64_t{7}).value());
  EXPECT_EQ(Hash().add(-1).value(), Hash().add(UINT64_MAX).value());
}

TEST(Hash, DependsOnOrder) { EXPECT_NE(Hash().add(1).add(2).value(), Hash().add(2).add(1).value()); }

TEST(Hash, TellsTextsApartByWhereTheyEnd) {
  EXPECT_NE(Hash().add("ab").add("c").value(), Hash().add("a").add("bc").value());
  EXPECT_NE(Hash().add("").value(), Hash().value());
}

TEST(Hash, ReadsBytesAboveAsciiAsUnsigned) { EXPECT_NE(Hash().add("\xff").value(), Hash().add("\x7f").value()); }

TEST(Hash, KeepsLowBitsOfNearbyNumbersApart) {
  std::set<std::uint64_t> low;  // the tag of a message carries 24 bits
  for (int i = 0; i < 1000; ++i) low.insert(Hash().add(i).value() & 0xffffffU);
  EXPECT_GE(low.size(), 998U);
}

TEST(Hash, IsKnownToTheCompiler) {
  constexpr std::uint64_t kValue = Hash().add(3).value();
  EXPECT_EQ(kValue, Hash().add(3).value());
}

}  // namespace
}  // namespace halyard::base
