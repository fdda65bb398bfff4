// Where things lie in a slab.
#include "transport/slab/layout.hpp"

#include <gtest/gtest.h>

namespace halyard::transport::slab {
namespace {

TEST(SlabLayoutTest, SlotsFollowEachOtherWithoutOverlap) {
  constexpr Layout layout{100, 65};
  EXPECT_EQ(layout.receive_slot(2), sizeof(Control));
  EXPECT_EQ(layout.receive_slot(1), layout.receive_slot(2) + 64 + 128);
  EXPECT_EQ(layout.send_slot(2), layout.receive_slot(1) + 64 + 128);
  EXPECT_EQ(layout.send_slot(1), layout.send_slot(2) + 64 + 128);
  EXPECT_EQ(layout.total(), layout.send_slot(1) + 64 + 128);
}

TEST(SlabLayoutTest, EverythingStartsOnALine) {
  for (const std::uint64_t bytes : {0U, 1U, 63U, 64U, 65U, 4097U}) {
    const Layout layout{bytes, 2 * bytes + 1};
    for (const std::uint64_t sequence : {1U, 2U}) {
      EXPECT_EQ(layout.receive_slot(sequence) % kLine, 0U);
      EXPECT_EQ(layout.send_slot(sequence) % kLine, 0U);
    }
  }
}

TEST(SlabLayoutTest, AMessageOfZeroBytesNeedsItsHeaderOnly) {
  EXPECT_EQ(Layout::slot_bytes(0), sizeof(Header));
  EXPECT_EQ(Layout::slot_bytes(1), sizeof(Header) + kLine);
}

TEST(SlabLayoutTest, CountsIn64Bits) {
  constexpr std::uint64_t bytes = 5'000'000'000;
  EXPECT_EQ((Layout{bytes, bytes}.total()), sizeof(Control) + 4 * (sizeof(Header) + 5'000'000'000));
}

}  // namespace
}  // namespace halyard::transport::slab
