// What is read out of kernel text, damaged text included.
#include "facts/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halyard::facts {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(FactsText, NumbersAreWholeOrNothing) {
  EXPECT_THAT(number_in(" 42\n"), Optional(42));
  EXPECT_THAT(number_in("-1"), Optional(-1));
  EXPECT_THAT(number_in("0x030200"), Optional(0x030200));
  for (const char* text : {"", "x", "4x", "4 5", "99999999999999999999", "0x", "1.5"})
    EXPECT_EQ(number_in(text), std::nullopt) << text;
  EXPECT_THAT(hex_in("ff"), Optional(255U));
  EXPECT_EQ(hex_in("0xff"), std::nullopt);
}

TEST(FactsText, LeadingNumbersStopWhereTheyEnd) {
  EXPECT_THAT(leading_number("16.0 GT/s PCIe"), Optional(16.0));
  EXPECT_THAT(leading_number("2.5 Gb/sec"), Optional(2.5));
  for (const char* text : {"", "Unknown", "inf", "nan"}) EXPECT_EQ(leading_number(text), std::nullopt) << text;
}

TEST(FactsText, CpuListsAreBounded) {
  EXPECT_THAT(list_in("0-2,8\n"), Optional(ElementsAre(0, 1, 2, 8)));
  EXPECT_THAT(list_in("\n"), Optional(ElementsAre()));
  for (const char* text : {"3-1", "a", "1-", "-1", "0-99999999", "0-40000,50000-90000"})
    EXPECT_EQ(list_in(text), std::nullopt) << text;
}

TEST(FactsText, ValuesAreFoundByTheirKey) {
  constexpr const char* kText = "  VmLck:\t  64 kB\nVmLckMore: 1\nSeccomp = 2\n";
  EXPECT_THAT(value_of(kText, "VmLck"), Optional(std::string_view("64 kB")));
  EXPECT_THAT(value_of(kText, "Seccomp"), Optional(std::string_view("2")));
  EXPECT_EQ(value_of(kText, "Missing"), std::nullopt);
}

TEST(FactsText, EvidenceIsOnePrintableLineOfBoundedLength) {
  EXPECT_EQ(quoted_text("a\nb\x1b[31m\t\xff"), "a | b?[31m ?");
  EXPECT_EQ(quoted_text(std::string(500, 'x'), 10), "xxxxxxxxxx…");
  EXPECT_EQ(evidence_of("/a", {Access::ok, "1\n"}), "/a: \"1\"");
  EXPECT_EQ(evidence_of("/a", {Access::refused}), "/a: permission denied");
  EXPECT_EQ(evidence_of("/a", {Access::unusable, "", false, "EIO"}), "/a: cannot be read (EIO)");
}

TEST(FactsText, SplitsWithoutEmptyParts) {
  EXPECT_THAT(split(" a  b\n"), ElementsAre("a", "b"));
  EXPECT_THAT(split(""), ElementsAre());
  EXPECT_THAT(lines_of("a\n\nb"), ElementsAre("a", "b"));
  EXPECT_EQ(trimmed(std::string_view("\0 a \n\0", 6)), "a");
}

}  // namespace
}  // namespace halyard::facts
