// Numbers are read whole and finite, or not at all.
#include "input/words.hpp"

#include <gtest/gtest.h>

namespace halyard::md {
namespace {

TEST(Words, AreSeparatedByAnyBlanks) {
  EXPECT_EQ(words_of(" \t12  ab\r"), (std::vector<std::string_view>{"12", "ab"}));
  EXPECT_TRUE(words_of(" \t ").empty());
  EXPECT_TRUE(words_of("").empty());
}

TEST(Words, WholeNumbersTakeTheWholeWord) {
  EXPECT_EQ(whole_number("+42"), 42);
  EXPECT_EQ(whole_number("-7"), -7);
  for (const char* bad : {"", "+", "+-1", "1.0", "1e3", "0x10", "12,", "99999999999999999999"})
    EXPECT_FALSE(whole_number(bad)) << bad;
}

TEST(Words, FiniteNumbersAreNeitherInfiniteNorCutOff) {
  EXPECT_EQ(finite_number("-1.5e2"), -150.0);
  EXPECT_EQ(finite_number("+.5"), 0.5);
  EXPECT_EQ(finite_number("16.795961913825074"), 16.795961913825074);
  for (const char* bad : {"nan", "-inf", "infinity", "1e999", "1e", "1.0.0", "0x1p3", "1,5", "- 1"})
    EXPECT_FALSE(finite_number(bad)) << bad;
}

TEST(Words, InQuotesAreShortAndPrintable) {
  EXPECT_EQ(in_quotes("a\x01"
                      "b"),
            "'a?b'");
  EXPECT_LE(in_quotes(std::string(1000, 'x')).size(), 70U);
}

}  // namespace
}  // namespace halyard::md
