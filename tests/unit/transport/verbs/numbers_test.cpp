// The 32-bit numbers that arrive with writes, and the ids of completions.
#include "transport/verbs/numbers.hpp"

#include <gtest/gtest.h>

#include "transport/verbs/queue_pair.hpp"

namespace halyard::transport::verbs {
namespace {

using slab::Word;

TEST(Numbers, AMessageComesBackAsItWentIn) {
  for (const std::uint64_t sequence : {1ULL, 2ULL, 0xffffffULL, 0x1000000ULL, 0x123456789ULL}) {
    for (const std::uint32_t parts : {1U, 2U, kMaxParts}) {
      const std::uint32_t number = number_of_message(sequence, parts);
      EXPECT_TRUE(is_message(number));
      EXPECT_EQ(parts_of(number), parts);
      EXPECT_EQ(continued(sequence - 1, low_bits(number, kSequenceBits), kSequenceBits), sequence);
    }
  }
}

TEST(Numbers, ABareMessageComesBackAsItWentInAndIsNoOther) {
  for (const std::uint64_t sequence : {1ULL, 0xfffULL, 0x1000ULL, 0x123456789ULL}) {
    for (const std::uint64_t consumed : {0ULL, 0xfffULL, 0x1001ULL}) {
      const std::uint32_t number = number_of_bare(sequence, consumed);
      EXPECT_TRUE(is_message(number) && is_bare(number));
      EXPECT_EQ(continued(sequence - 1, low_bits(number, kBareBits), kBareBits), sequence);
      EXPECT_EQ(continued(consumed, low_bits(number >> kBareBits, kBareBits), kBareBits), consumed);
    }
    for (const std::uint32_t parts : {1U, kMaxParts}) EXPECT_FALSE(is_bare(number_of_message(sequence, parts)));
  }
  for (const Word word : {Word::consumed, Word::gave_up, Word::closed})
    EXPECT_FALSE(is_bare(number_of_word(word, 0x3fffffff)));
}

TEST(Numbers, AHeaderCostsAPacketWhereThePacketsOfItsMessageHaveNoRoomForIt) {
  for (const std::uint64_t bytes : {4033U, 4096U, 8129U, 16384U}) EXPECT_TRUE(costs_a_packet(64, bytes, 4096)) << bytes;
  for (const std::uint64_t bytes : {0U, 1U, 4032U, 4097U, 8128U})
    EXPECT_FALSE(costs_a_packet(64, bytes, 4096)) << bytes;
}

TEST(Numbers, TagsAreExpectedToGoOnAsTheLastTwoWent) {
  TagSeries tags;
  for (const std::uint64_t tag : {7ULL, 10ULL}) tags.saw(tag);
  EXPECT_EQ(tags.expected(), 13U);
  tags.saw(5);  // backwards
  EXPECT_EQ(tags.expected(), 0U);
}

TEST(Numbers, AWordComesBackAsItWentIn) {
  for (const Word word : {Word::consumed, Word::gave_up, Word::closed}) {
    const std::uint32_t number = number_of_word(word, 0x3fffffff);
    EXPECT_FALSE(is_message(number));
    EXPECT_EQ(word_of(number), word);
    EXPECT_EQ(low_bits(number, kValueBits), 0x3fffffffU);
  }
}

TEST(Numbers, ACountGoesOnBeyondItsLowBits) {
  const std::uint64_t known = (std::uint64_t{5} << kValueBits) - 1;
  EXPECT_EQ(continued(known, low_bits(known, kValueBits), kValueBits), known);
  EXPECT_EQ(continued(known, low_bits(known + 1, kValueBits), kValueBits), known + 1);
  EXPECT_EQ(continued(known, low_bits(known + 7, kValueBits), kValueBits), known + 7);
}

TEST(Numbers, AFarewellFitsAWordAndIsNeverNothing) {
  for (const std::uint64_t messages : {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 30) - 1, UINT64_MAX}) {
    EXPECT_NE(farewell_after(messages), 0U);
    EXPECT_EQ(low_bits(number_of_word(Word::closed, farewell_after(messages)), kValueBits), farewell_after(messages));
  }
}

TEST(Numbers, ACompletionIdKeepsBothItsParts) {
  for (const CompletionId id :
       {CompletionId{0, 0}, CompletionId{(1U << kIdBits) - 1, 1}, CompletionId{7, 1ULL << 39}}) {
    EXPECT_EQ(unpack_id(pack(id)).id, id.id);
    EXPECT_EQ(unpack_id(pack(id)).posted, id.posted);
  }
}

}  // namespace
}  // namespace halyard::transport::verbs
