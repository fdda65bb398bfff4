// nearest_name: what a mistyped name most likely meant.
#include "base/nearest_name.hpp"

#include <gtest/gtest.h>

#include <array>

namespace halyard::base {
namespace {

constexpr std::array<std::string_view, 3> kKnown{"shared", "ucx", "mpi"};

TEST(NearestName, IsTheNameItselfWhenItIsKnown) { EXPECT_EQ(nearest_name("ucx", kKnown), "ucx"); }

TEST(NearestName, SeesThroughOneMissingOneExtraAndOneWrongLetter) {
  EXPECT_EQ(nearest_name("shred", kKnown), "shared");
  EXPECT_EQ(nearest_name("ucxx", kKnown), "ucx");
  EXPECT_EQ(nearest_name("mpo", kKnown), "mpi");
}

TEST(NearestName, TakesTheFirstOfEquallyNearOnes) { EXPECT_EQ(nearest_name("zzz", kKnown), "ucx"); }

TEST(NearestName, OfAnEmptyNameIsTheShortest) { EXPECT_EQ(nearest_name("", kKnown), "ucx"); }

TEST(NearestName, IsEmptyWhenNothingIsKnown) { EXPECT_EQ(nearest_name("ucx", {}), ""); }

}  // namespace
}  // namespace halyard::base
