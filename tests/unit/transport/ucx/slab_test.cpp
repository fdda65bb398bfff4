// Where things lie in a slab, and the address that a peer computes it from.
#include "transport/ucx/slab.hpp"

#include <gtest/gtest.h>

#include <array>

#include "transport/ucx/address.hpp"

namespace halyard::transport::ucx {
namespace {

TEST(SlabLayoutTest, SlotsFollowEachOtherWithoutOverlap) {
  constexpr SlabLayout layout{100, 65};
  EXPECT_EQ(layout.receive_slot(2), sizeof(Control));
  EXPECT_EQ(layout.receive_slot(1), layout.receive_slot(2) + 64 + 128);
  EXPECT_EQ(layout.send_slot(2), layout.receive_slot(1) + 64 + 128);
  EXPECT_EQ(layout.send_slot(1), layout.send_slot(2) + 64 + 128);
  EXPECT_EQ(layout.total(), layout.send_slot(1) + 64 + 128);
}

TEST(SlabLayoutTest, EverythingStartsOnALine) {
  for (const std::uint64_t bytes : {0U, 1U, 63U, 64U, 65U, 4097U}) {
    const SlabLayout layout{bytes, 2 * bytes + 1};
    for (const std::uint64_t sequence : {1U, 2U}) {
      EXPECT_EQ(layout.receive_slot(sequence) % kLine, 0U);
      EXPECT_EQ(layout.send_slot(sequence) % kLine, 0U);
    }
  }
}

TEST(SlabLayoutTest, AMessageOfZeroBytesNeedsItsHeaderOnly) {
  EXPECT_EQ(SlabLayout::slot_bytes(0), sizeof(Header));
  EXPECT_EQ(SlabLayout::slot_bytes(1), sizeof(Header) + kLine);
}

TEST(SlabLayoutTest, CountsIn64Bits) {
  constexpr std::uint64_t bytes = 5'000'000'000;
  EXPECT_EQ((SlabLayout{bytes, bytes}.total()), sizeof(Control) + 4 * (sizeof(Header) + 5'000'000'000));
}

TEST(ChannelAddressTest, ComesOutAsItWentIn) {
  const std::array<std::byte, 3> key{std::byte{1}, std::byte{2}, std::byte{3}};
  const std::array<std::byte, 2> worker{std::byte{8}, std::byte{9}};
  const Blob bytes = encode({4096, 77, 5'000'000'000, 6, 3, key, worker});
  const ChannelAddress address = decode(bytes);
  EXPECT_EQ(address.slab, 4096U);
  EXPECT_EQ(address.link, 77U);
  EXPECT_EQ(address.send_bytes, 5'000'000'000U);
  EXPECT_EQ(address.receive_bytes, 6U);
  EXPECT_EQ(address.binding, 3U);
  EXPECT_TRUE(std::ranges::equal(address.slab_key, key));
  EXPECT_TRUE(std::ranges::equal(address.worker, worker));
}

TEST(ChannelAddressTest, RefusesWhatIsNotOne) {
  const Blob good = encode({1, 2, 3, 4, 5, {}, {}});
  EXPECT_THROW(decode(std::span(good).first(good.size() - 1)), Error);
  EXPECT_THROW(decode({}), Error);
  Blob other = good;
  other[0] ^= std::byte{1};
  EXPECT_THROW(decode(other), Error);
}

}  // namespace
}  // namespace halyard::transport::ucx
