// What one end of a UCX channel tells the other.
#include "transport/ucx/address.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace halyard::transport::ucx {
namespace {

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
